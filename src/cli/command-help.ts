import { z } from "zod";
import { commonOptions, invocation, type Usage } from "#cli/command-arguments.ts";

/** What `COMMAND --help` prints. */
export function explain(usage: Usage): string {
  const options = Object.entries({ ...usage.options, ...commonOptions });
  return [
    `${invocation} ${callOf(usage)}`,
    `${usage.summary}.`,
    ...(usage.details ? [usage.details] : []),
    columns(options.map(([name, option]) => [nameAndValue(name, option), option.says])),
  ].join("\n\n");
}

/** What `--help` prints: every command with its summary. */
export function explainAll(usages: readonly Usage[]): string {
  return [
    `${invocation} COMMAND [--help] [--json]`,
    columns(usages.map(({ name, summary }) => [name, summary])),
    `${invocation} COMMAND --help explains one; docs/commands.md has examples.`,
  ].join("\n\n");
}

function callOf({ name, operands = [], options }: Usage): string {
  const calls = Object.entries(options).map(([option, described]) => {
    const isOptional = z.safeDecode(described.schema, undefined).success;
    const call = nameAndValue(option, described);
    return isOptional ? `[${call}]` : call;
  });
  return [name, ...operands, ...calls, "[--json]"].join(" ");
}

function nameAndValue(name: string, { value }: { value?: string }): string {
  return value ? `--${name} ${value}` : `--${name}`;
}

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join("\n");
}

import { type CommanderError, Command as CommanderCommand, type Option } from "commander";
import { z } from "zod";
import { invocation, UsageProblem } from "#kit/cli/command-arguments.ts";
import type { Command, Work } from "#kit/cli/command.ts";

/**
 * The command line, parsed and explained by commander. `run` does the work of the given command. `parseAsync`
 * throws a UsageProblem for arguments that cannot be understood, and a CommanderError after printing help, with
 * exit code 0 if help was requested.
 */
export function commandLine(
  commands: readonly Command[],
  run: (work: Work) => Promise<void>,
): CommanderCommand {
  const program = new CommanderCommand(invocation)
    .option("--json", "Print one JSON document instead of text")
    .helpOption("-h, --help", "Explain the command")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined }) // the caller prints what is thrown
    .showSuggestionAfterError(false)
    .addHelpText(
      "after",
      `\n${invocation} COMMAND --help explains one; docs/commands.md has examples.`,
    );
  program.exitOverride((error) => throwFor(error, program));
  for (const command of commands) addCommand(program, command, run);
  return program;
}

function addCommand(
  program: CommanderCommand,
  { name, summary, details, operands = [], options, read }: Command,
  run: (work: Work) => Promise<void>,
): void {
  const command = program.command(name).summary(summary);
  const more = typeof details === "function" ? details() : details;
  const paragraph = more ? `\n\n${more.replaceAll("\n", " ")}` : "";
  command.description(`${summary}.${paragraph}`);
  for (const operand of operands) command.argument(`<${operand}>`);
  for (const [option, { value, help, schema }] of Object.entries(options)) {
    const isRequired = !z.safeDecode(schema, undefined).success;
    const flags = value ? `--${option} <${value}>` : `--${option}`;
    command.option(flags, isRequired ? `${help} (required)` : help);
  }
  command.exitOverride((error) => throwFor(error, command));
  command.action(async () => {
    const values = command.options.map((option) => [option.name(), valueOf(command, option)]);
    await run(read(Object.fromEntries(values), command.args));
  });
}

/** Refuses an option as a value: `--out --columns email` would write a file called --columns. */
function valueOf(command: CommanderCommand, option: Option): unknown {
  const value: unknown = command.getOptionValue(option.attributeName());
  if (typeof value === "string" && /^--?[a-z]/i.test(value))
    throw new UsageProblem(`--${option.name()} needs a value. ${seeHelp(command)}`);
  return value;
}

/** Throw commander's refusals as one sentence, and anything that it has already printed unchanged. */
function throwFor(error: CommanderError, command: CommanderCommand): never {
  const [, quoted = ""] = /'(.*)'/s.exec(error.message) ?? [];
  const name = command.name();
  const sentences: Record<string, string> = {
    "commander.unknownCommand": `There is no command ${JSON.stringify(quoted)}.`,
    "commander.unknownOption": `${command.parent ? `${name} has` : "There is"} no option ${quoted}.`,
    "commander.optionMissingArgument": `${quoted.split(" ")[0]} needs a value.`,
    "commander.missingArgument": `${name} needs ${quoted}.`,
    "commander.excessArguments": `${name} cannot use ${JSON.stringify(command.args[command.registeredArguments.length])}.`,
  };
  const sentence = sentences[error.code];
  throw sentence ? new UsageProblem(`${sentence} ${seeHelp(command)}`, { cause: error }) : error;
}

function seeHelp(command: CommanderCommand): string {
  const path = command.parent ? `${invocation} ${command.name()}` : invocation;
  return `See ${path} --help`;
}

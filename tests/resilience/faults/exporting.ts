import { setTimeout as after } from "node:timers/promises";
import { type Answer, Diary, isDone } from "#tests/resilience/faults/caller.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";

const types = ["attorneys", "subscription_debits", "receivables_aging"] as const;
const greatest = 8;

interface Export {
  id: string;
  status: string;
  rows: number;
  bytes: number;
  reason: string | null;
}

/** The administrator orders reports and retries failed ones. */
export function exporting(): Deed {
  const diary = new Diary();
  let failures = 0;
  return {
    go: async (world, chance, isOver) =>
      await keepDoing(
        chance,
        isOver,
        async (turn) => {
          const type = types[turn % types.length] ?? types[0];
          const answer = await ask(world, world.scene.admin, "POST", "/data_export.json", {
            report_type: type,
            ...(type !== "receivables_aging" && { columns: await columnsOf(world, type) }),
            ...(type === "subscription_debits" && { range_mode: "all-time" }),
          });
          await after(chance.whole(0, 500));
          return diary.note(String(turn), answer);
        },
        greatest,
      ),
    again: async (world) => {
      const failed = (await settled(world)).filter(({ status }) => status === "failed");
      failures = failed.length;
      for (const { id, reason } of failed) {
        if (!reason) throw new Error(`Report ${id} failed without a reason.`);
        const answer = await ask(world, world.scene.admin, "POST", `/data_exports/${id}/retry`, {});
        if (!isDone(answer))
          throw new Error(`Report ${id} cannot be tried again: ${answerText(answer)}`);
      }
      await settled(world);
    },
    offences: async (world) => {
      const all = await exportsOf(world);
      const sure = [...diary.pages.values()].filter((answers) => answers.some(isDone)).length;
      const most = [...diary.pages.values()].filter((answers) => !answers.every(isRefused)).length;
      const files = await Promise.all(all.map((one) => offencesOfFile(world, one)));
      return [
        ...(all.length < sure ? [`${all.length} reports of ${sure} acknowledged`] : []),
        ...(all.length > most ? [`${all.length} reports, and at most ${most} were ordered`] : []),
        ...files.flat(),
      ];
    },
    size: () => diary.pages.size,
    tell: () => (failures > 0 ? `${failures} failed reports retried` : null),
  };
}

const isRefused = ({ status, message }: Answer) =>
  status !== null &&
  (/nothing was changed/i.test(message ?? "") || (status >= 400 && status < 500));

const columnNames = {
  attorneys: ["id", "name", "email"],
  subscription_debits: ["id", "attorney", "balance"],
};

/** Columns of a type that any version has. */
async function columnsOf(world: World, type: keyof typeof columnNames): Promise<string[]> {
  const known = await ask(world, world.scene.admin, "GET", "/data_exports/options");
  const options = known.object as {
    reportTypes: { value: string; columns: { value: string }[] }[];
  } | null; // null without an answer; the order then gets none either
  const columns = options?.reportTypes.find(({ value }) => value === type)?.columns ?? [];
  return columns.length > 0 ? columns.map(({ value }) => value) : columnNames[type];
}

async function exportsOf({ ask: query, scene }: World): Promise<Export[]> {
  return await query<Export>(
    `select id, status, rows_written::integer as rows, file_bytes::integer as bytes,
       failure_reason as reason from data_exports where network_id = $1 order by id`,
    [scene.networkId],
  );
}

const timeoutMs = 120_000;

/** The reports, once each is ready or has failed. */
async function settled(world: World): Promise<Export[]> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const all = await exportsOf(world);
    const open = all.filter(({ status }) => status === "queued" || status === "running");
    if (open.length === 0) return all;
    if (performance.now() > end)
      throw new Error(`Reports stay unfinished: ${JSON.stringify(open)}`);
    await after(200);
  }
}

async function offencesOfFile(
  world: World,
  { id, status, rows, bytes, reason }: Export,
): Promise<string[]> {
  if (status !== "ready") return [`report ${id} is ${status}: ${reason}`];
  const answer = await fetch(`${world.address}/data_exports/${id}/file`, {
    headers: { cookie: world.scene.admin.cookie },
  });
  const content = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200)
    return [`report ${id} is ready, and its file answers ${answer.status}`];
  const lines = content.toString("utf8").trimEnd().split("\r\n").length;
  return content.length === bytes && lines === rows + 1
    ? []
    : [
        `the file of report ${id} has ${content.length} of ${bytes} bytes, ${lines - 1} of ${rows} rows`,
      ];
}

const answerText = ({ status, message }: Answer) => `${status} ${message}`;

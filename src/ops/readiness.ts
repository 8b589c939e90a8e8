import type { Log } from "#ops/log.ts";

/** Something besides the database without which a process is not ready. */
export interface Readiness {
  /** What `/readyz` says; the log says why. */
  says: string;
  /** Whether it is as it should be, as of a few seconds ago at most. */
  isFine(): Promise<boolean>;
}

const keptMs = 5_000;
const databasePatienceMs = 1_000;

/**
 * Look after something as often as is asked, but every five seconds at most. `whyNot` answers what is
 * wrong, null when nothing is; the log is told of each change. A network file system that is away
 * answers nothing at all: then it is not waited for any longer than a proxy would wait.
 */
export function watchReadiness(
  { says, whyNot }: { says: string; whyNot: () => Promise<string | null> },
  log: Log,
  timeoutMs = 3_000,
): Readiness {
  let problem: string | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  function found(what: string | null): void {
    if (what !== null && what !== problem) log.error(what);
    if (what === null && problem !== null) log.info(`This is over: ${problem}`);
    problem = what;
    lookedAt = performance.now();
  }

  async function look(): Promise<void> {
    try {
      found(await whyNot());
    } catch (reason) {
      found(`${says} ${String(reason)}`);
    } finally {
      looking = null;
    }
  }

  return {
    says,
    isFine: async () => {
      if (performance.now() - lookedAt > keptMs) {
        const isKnown = await withinPatience((looking ??= look()), timeoutMs);
        if (!isKnown) found(`${says} It does not answer.`);
      }
      return problem === null;
    },
  };
}

/**
 * What the database says, where something else than the database is looked after: null when it does not
 * answer soon. `/readyz` says that by itself, and a busy one is no reason to take a folder for lost.
 */
export async function ifItAnswers<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  let known: Answer | null = null;
  const answered = asked.then(
    (answer) => void (known = answer),
    () => undefined, // as above
  );
  await withinPatience(answered, databasePatienceMs);
  return known;
}

async function withinPatience(looking: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  const isDone = await Promise.race([looking.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}

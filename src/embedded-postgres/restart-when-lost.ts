const lookEveryMs = 500;

/**
 * Look after something that must live as long as it is used: when it is dead it is revived, and
 * tried again until that works. `log` hears of each death once, and of each reason why it stays dead.
 */
export function watchOver({
  isAlive,
  revive,
  log,
}: {
  isAlive: () => boolean;
  revive: () => Promise<void>;
  log: (line: string) => void;
}): { stop(): Promise<void> } {
  let isStopped = false;
  let told: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  function tell(line: string): void {
    if (line !== told) log(line);
    told = line;
  }

  function lookLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => void (round = look()), lookEveryMs);
    timer.unref(); // it keeps no process from ending
  }

  async function look(): Promise<void> {
    try {
      if (!isAlive()) {
        if (told === null) tell("The database has died; it is started again.");
        await revive();
      }
      told = null;
    } catch (problem) {
      tell(`The database cannot be started again: ${String(problem)}`);
    }
    lookLater();
  }

  lookLater();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}

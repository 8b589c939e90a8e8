const checkIntervalMs = 500;

/**
 * Check twice a second whether the database is alive, and if not, restart it until that succeeds. Each death is
 * logged once, and so is each reason why a restart failed.
 */
export function restartWhenLost({
  isAlive,
  restart,
  log,
}: {
  isAlive: () => boolean;
  restart: () => Promise<void>;
  log: (line: string) => void;
}): { stop(): Promise<void> } {
  let isStopped = false;
  let lastLogged: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let currentCheck = Promise.resolve();

  function logOnce(line: string): void {
    if (line !== lastLogged) log(line);
    lastLogged = line;
  }

  function scheduleCheck(): void {
    if (isStopped) return;
    timer = setTimeout(() => void (currentCheck = check()), checkIntervalMs);
    timer.unref(); // it does not keep a process from ending
  }

  async function check(): Promise<void> {
    try {
      if (!isAlive()) {
        if (lastLogged === null) logOnce("The database has died. Restarting it.");
        await restart();
      }
      lastLogged = null;
    } catch (problem) {
      logOnce(`The database cannot be restarted: ${String(problem)}`);
    }
    scheduleCheck();
  }

  scheduleCheck();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await currentCheck;
    },
  };
}

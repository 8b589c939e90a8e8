const usualSpacingMs = 1000;
const jitterMs = 300;
const shortestRetryMs = 2000;
const longestRetryMs = 30_000;

interface RefetchScheduler {
  /** Something may have changed. */
  hint: () => void;
  /** The screen fetched on its own, such as after a save. Counts as a refetch. */
  asked: () => void;
  stop: () => void;
}

/**
 * Turn hints into refetches: at most one running and one waiting, `spacingMs` apart, with a random delay so that
 * screens do not all ask at the same time. `refetch` returns whether it succeeded. A failed one is tried again after
 * growing pauses, because there may be no other hint.
 */
export function scheduleRefetches(
  refetch: () => Promise<boolean>,
  spacingMs = usualSpacingMs,
): RefetchScheduler {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWaiting = false;
  let failures = 0;
  let askedAt = performance.now(); // the screen is loading

  const tooSoonBy = () => Math.max(0, askedAt + spacingMs - performance.now());
  const schedule = (extraMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (tooSoonBy() > 0) schedule(0);
      else void ask();
    }, tooSoonBy() + extraMs);
  };

  async function ask(): Promise<void> {
    isAsking = true;
    isWaiting = false;
    askedAt = performance.now();
    failures = (await refetch()) ? 0 : failures + 1;
    isAsking = false;
    if (isWaiting) schedule(Math.random() * jitterMs);
    else if (failures > 0) schedule(retryMs(failures));
  }

  return {
    hint: () => {
      if (!isAsking && !isWaiting) schedule(Math.random() * jitterMs);
      isWaiting = true;
    },
    asked: () => (askedAt = performance.now()),
    stop: () => clearTimeout(timer),
  };
}

function retryMs(failures: number): number {
  const pauseMs = Math.min(longestRetryMs, shortestRetryMs * 2 ** (failures - 1));
  return pauseMs * (1 + Math.random() / 4); // spread out screens that failed together
}

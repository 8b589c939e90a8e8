const spacingMs = 1000;
const jitterMs = 300;

interface Calm {
  /** Something may have changed. */
  hint: () => void;
  /** The screen asks of its own accord, as after a change made on it: that counts as a refetch. */
  asked: () => void;
  stop: () => void;
}

/**
 * Turn hints into refetches without a storm: one refetch under way and one waiting at most, none
 * within a second of another, and a moment of chance so that a roomful of screens does not ask at
 * once.
 */
export function calmly(refetch: () => Promise<unknown>): Calm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWaiting = false;
  let askedAt = performance.now(); // the screen is being loaded

  const tooSoonBy = () => Math.max(0, askedAt + spacingMs - performance.now());
  const schedule = (extraMs: number) => {
    timer = setTimeout(() => {
      if (tooSoonBy() > 0) schedule(0);
      else void ask();
    }, tooSoonBy() + extraMs);
  };

  async function ask(): Promise<void> {
    timer = undefined;
    isAsking = true;
    isWaiting = false;
    askedAt = performance.now();
    await refetch();
    isAsking = false;
    if (isWaiting) schedule(Math.random() * jitterMs);
  }

  return {
    hint: () => {
      isWaiting = true;
      if (!isAsking && timer === undefined) schedule(Math.random() * jitterMs);
    },
    asked: () => (askedAt = performance.now()),
    stop: () => clearTimeout(timer),
  };
}

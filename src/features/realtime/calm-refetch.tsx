const spacingMs = 1000;
const jitterMs = 300;

/**
 * Turn hints into refetches without a storm: one refetch under way and one waiting at most, no two
 * within a second, and a moment of chance so that a roomful of screens does not ask at once.
 */
export function calmly(refetch: () => Promise<unknown>): { hint: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWaiting = false;
  let askedAt = -Infinity;

  const schedule = () => {
    const since = performance.now() - askedAt;
    timer = setTimeout(() => void ask(), Math.max(0, spacingMs - since) + Math.random() * jitterMs);
  };

  async function ask(): Promise<void> {
    timer = undefined;
    isAsking = true;
    isWaiting = false;
    askedAt = performance.now();
    await refetch();
    isAsking = false;
    if (isWaiting) schedule();
  }

  return {
    hint: () => {
      isWaiting = true;
      if (!isAsking && timer === undefined) schedule();
    },
    stop: () => clearTimeout(timer),
  };
}

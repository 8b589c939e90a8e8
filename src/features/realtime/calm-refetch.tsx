const spacingMs = 1000;
const jitterMs = 300;

/**
 * Turn hints into refetches without a storm: one refetch under way and one waiting at most, no two
 * within a second, and a moment of chance so that a roomful of screens does not ask at once.
 * `answeredAt`: when the screen last had an answer of its own asking, in milliseconds since 1970; it
 * counts as a refetch, since whoever changes something asks again and gets the hint besides.
 */
export function calmly(
  refetch: () => Promise<unknown>,
  answeredAt: () => number = () => 0,
): { hint: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWaiting = false;
  let askedAt = 0;

  const schedule = () => {
    const since = Math.abs(Date.now() - Math.max(askedAt, answeredAt())); // clocks may be set back
    timer = setTimeout(() => void ask(), Math.max(0, spacingMs - since) + Math.random() * jitterMs);
  };

  async function ask(): Promise<void> {
    timer = undefined;
    isAsking = true;
    isWaiting = false;
    askedAt = Date.now();
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

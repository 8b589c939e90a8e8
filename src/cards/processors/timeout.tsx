/** The outcome, or `otherwise` if it takes longer. */
export async function withTimeout<Outcome>(
  seconds: number,
  outcome: Promise<Outcome>,
  otherwise: Outcome,
): Promise<Outcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), seconds * 1000);
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

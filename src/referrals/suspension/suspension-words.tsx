/** The rules for suspensions; `threshold` is the grace period in whole periods. */
export interface SuspensionRules {
  enabled: boolean;
  threshold: number;
}

/** "a report is more than 60 days late: 2 periods of 30 days". Source: domain rules §6. */
export function lateWords(threshold: number, periodInDays: number): string {
  if (threshold === 0)
    return `a report is late by a day or more: 0 periods of ${periodInDays} days`;
  const days = (threshold * periodInDays).toLocaleString("en-US");
  const periods = threshold === 1 ? "1 period" : `${threshold} periods`;
  return `a report is more than ${days} days late: ${periods} of ${periodInDays} days`;
}

export function lawyers(count: number): string {
  return count === 1 ? "1 lawyer" : `${count.toLocaleString("en-US")} lawyers`;
}

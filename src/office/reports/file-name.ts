import type { Day } from "#kit/domain/day.ts";

/**
 * The name of an export's downloaded file, such as
 * `harbor-county-lrs-subscription-payments-2026-10-01-to-2026-10-31.csv`: plain ASCII, so that every system accepts it.
 * Without a range it ends with the day it was made.
 */
export function exportFileName(
  made: { networkName: string; reportType: string; firstOn: Day | null; lastOn: Day | null },
  today: Day,
): string {
  const { firstOn, lastOn } = made;
  const days =
    firstOn === null || lastOn === null
      ? today
      : firstOn === lastOn
        ? firstOn
        : `${firstOn}-to-${lastOn}`;
  const words = [made.networkName, made.reportType].map(plain).filter(Boolean);
  return `${[...words, days].join("-")}.csv`;
}

function plain(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  return ascii
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);
}

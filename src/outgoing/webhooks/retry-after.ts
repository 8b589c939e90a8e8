/** The seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3); 0 if absent, unreadable or a past date. */
export function secondsToWait(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^[A-Z][a-z]{2,8},? .* \d\d:\d\d:\d\d /.test(`${text} `)) return 0;
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`); // the oldest of the three formats has no zone
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

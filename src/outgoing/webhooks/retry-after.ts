/**
 * The seconds that a `Retry-After` header asks for, which has seconds or a date (RFC 9110, 10.2.3); 0 without one, for
 * what is neither, and for a date that is past.
 */
export function secondsToWait(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^[A-Z][a-z]{2,8},? .* \d\d:\d\d:\d\d /.test(`${text} `)) return 0;
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`); // the oldest of three forms names no zone
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

/** Only what was changed here, so that what somebody else changes meanwhile stays. */
export function changesBetween<Typed extends object>(before: Typed, typed: Typed): Partial<Typed> {
  const kept = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(typed).filter(([name, value]) => value !== kept.get(name));
  return Object.fromEntries(changed) as Partial<Typed>; // a part of what was typed
}

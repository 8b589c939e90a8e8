/** Only the fields that were changed, so that others' changes to the rest stay. */
export function changedFields<Typed extends object>(before: Typed, typed: Typed): Partial<Typed> {
  const saved = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(typed).filter(([name, value]) => value !== saved.get(name));
  return Object.fromEntries(changed) as Partial<Typed>; // a part of what was typed
}

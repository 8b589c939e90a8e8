/** What was given: without the names whose value is undefined. */
export function givenOf<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>; // the same fields, fewer of them
}

/** What a change really changed, as the audit trail keeps it: the same names before and after. */
export function differences(before: object, after: object): { before: object; after: object } {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => old.get(name) !== value);
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, old.get(name)])),
    after: Object.fromEntries(changed),
  };
}

/** The given fields: without those whose value is undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>; // the same fields, fewer of them
}

/** The fields whose values differ, for the audit trail: the same names before and after. */
export function changedFields(before: object, after: object): { before: object; after: object } {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => old.get(name) !== value);
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, old.get(name)])),
    after: Object.fromEntries(changed),
  };
}

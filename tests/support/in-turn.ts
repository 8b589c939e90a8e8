/** An element of a list, by an index that wraps around. */
export function inTurn<Thing>(things: readonly Thing[], number: number): Thing {
  const thing = things[number % things.length];
  if (thing === undefined) throw new Error("There is nothing to choose from.");
  return thing;
}

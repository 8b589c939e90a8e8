/** One thing of a list, which begins again after its last. */
export function inTurn<Thing>(things: readonly Thing[], number: number): Thing {
  const thing = things[number % things.length];
  if (thing === undefined) throw new Error("There is nothing to choose from.");
  return thing;
}

import { Diary, offence } from "#tests/resilience/faults/caller.ts";
import { ask, type Deed, keepDoing } from "#tests/resilience/faults/world.ts";

/**
 * The administrator adjusts balances. Only the note tells two adjustments apart, so they are never repeated.
 */
export function adjusting(): Deed {
  const diary = new Diary();
  return {
    go: async (world, chance, isOver) => {
      const [, , , payer] = world.scene.payers;
      await keepDoing(chance, isOver, async (turn) => {
        const note = `Fault ${turn}`;
        const body = {
          debit_id: payer?.debits[turn % 4],
          direction: chance.oneOf(["increase", "decrease"]),
          amount: "0.25",
          adjustment_note: note,
        };
        const path = "/lrs_subscription_debit_adjustments/";
        return diary.note(note, await ask(world, world.scene.admin, "POST", path, body));
      });
    },
    offences: async (world) => {
      const rows = await world.ask<{ note: string; count: number }>(
        `select note, count(*)::integer as count from entries
         where network_id = $1 and cause = 'adjustment' and note like 'Fault %' group by 1`,
        [world.scene.networkId],
      );
      const counts = new Map(rows.map(({ note, count }) => [note, count]));
      return [...diary.pages].flatMap(([note, answers]) =>
        offence(`adjustment "${note}"`, answers, counts.get(note) ?? 0),
      );
    },
    size: () => diary.pages.size,
  };
}

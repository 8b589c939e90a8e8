import { z } from "zod";
import { Diary, isDone } from "#tests/resilience/faults/caller.ts";
import { ask, type Deed, keepDoing, type World } from "#tests/resilience/faults/world.ts";

const Counts = z.object({
  subscribed: z.number(),
  alreadySubscribed: z.number(),
  debitsCreated: z.number(),
});

/**
 * The administrator subscribes everyone to one plan after the other, every second plan billed immediately.
 */
export function subscribingAll(): Deed {
  const diary = new Diary();

  async function subscribe(world: World, plan: number) {
    const body = {
      lrs_subscription_id: plan,
      start_date: todayInNewYork(),
      bill_immediately: isBilled(world, plan),
    };
    const path = "/lrs_subscription_instances/subscribe_all";
    return diary.note(String(plan), await ask(world, world.scene.admin, "POST", path, body));
  }

  return {
    go: async (world, chance, isOver) => {
      const { newPlans } = world.scene;
      await keepDoing(
        chance,
        isOver,
        async (turn) => await subscribe(world, newPlans[turn % newPlans.length] ?? 0),
        newPlans.length * 2,
      );
    },
    again: async (world) => {
      for (const plan of world.scene.newPlans) await subscribe(world, plan);
    },
    offences: async (world) => {
      const offences = await Promise.all(
        world.scene.newPlans.map((plan) => offencesOf(world, plan)),
      );
      return [...offences.flat(), ...acknowledgedTwice(diary)];
    },
    size: () => diary.pages.size,
  };
}

const isBilled = (world: World, plan: number) => world.scene.newPlans.indexOf(plan) % 2 === 0;

async function offencesOf(world: World, plan: number): Promise<string[]> {
  const [found] = await world.ask<Record<"panel" | "enrolled" | "attorneys" | "debits", number>>(
    `select (select count(*)::integer from attorneys where network_id = $1) as panel,
       count(*)::integer as enrolled, count(distinct e.attorney_id)::integer as attorneys,
       (select count(*)::integer from debits d join enrolments o
         on o.network_id = d.network_id and o.id = d.enrolment_id
         where d.network_id = $1 and o.plan_id = $2 and d.due_on <= o.enrolled_on) as debits
     from enrolments e where e.network_id = $1 and e.plan_id = $2 and e.archived_at is null`,
    [world.scene.networkId, plan],
  );
  const { panel = 0, enrolled, attorneys, debits } = found ?? {};
  const owed = isBilled(world, plan) ? panel : 0;
  return enrolled === panel && attorneys === panel && debits === owed
    ? []
    : [
        `plan ${plan}: ${enrolled} enrolments of ${attorneys} attorneys for a panel of ${panel}, ${debits} first debits instead of ${owed}`,
      ];
}

/** Each attorney is subscribed once, so acknowledgements may not add up to more. */
function acknowledgedTwice({ pages }: Diary): string[] {
  return [...pages].flatMap(([plan, answers]) => {
    const counts = answers.filter(isDone).map(({ object }) => Counts.parse(object));
    const [first] = counts;
    const panel = first ? first.subscribed + first.alreadySubscribed : 0;
    const subscribed = counts.reduce((sum, count) => sum + count.subscribed, 0);
    if (subscribed > panel)
      return [`plan ${plan}: ${subscribed} acknowledged of a panel of ${panel}`];
    const isPromised = answers.every(
      (answer) => isDone(answer) || /nothing was changed/i.test(answer.message ?? ""),
    );
    return isPromised && subscribed < panel
      ? [`plan ${plan}: subscribed although every answer was a refusal`]
      : [];
  });
}

/** The network's date. */
function todayInNewYork(): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date());
}

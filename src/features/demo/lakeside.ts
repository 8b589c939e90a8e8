import type { Db } from "#server/database.ts";
import { type DemoStart, startDemoNetwork } from "#features/demo/demo-network.ts";
import { addDemoPanel } from "#features/demo/demo-panel.ts";

/** The second network: it makes the wall between tenants visible. It has no plans. */
export async function makeLakeside(tx: Db, start: DemoStart): Promise<void> {
  const network = await startDemoNetwork(tx, start, {
    name: "Lakeside Bar Referral Service",
    timeZone: "America/Los_Angeles",
    permitsMatterEditing: false,
    admin: { name: "Luis Ferreira", email: "admin@lakeside.test" },
  });
  const panel = {
    names,
    firstEmail: "attorney@lakeside.test",
    towns: [{ city: "Lakeside", region: "CA", zip: "92040", areaCode: "619" }] as const,
    signIns: 1,
  };
  await addDemoPanel(tx, network, panel, start.passwordHash);
}

const names = [
  ["Nora", "Castle"],
  ["Theo", "Maddox"],
  ["Ruth", "Alvarado"],
  ["Simon", "Okonkwo"],
  ["Vera", "Lindholm"],
] as const;

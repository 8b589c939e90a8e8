import { sql } from "kysely";
import { expect } from "vitest";
import { untilDelivered } from "#features/cells/deliveries-under-way.ts";
import { guardNetwork } from "#features/cells/guard.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { queueMail, sendDueMail } from "#features/mail/outbox.ts";
import { app, network } from "#tests/support/app-test.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";

const test = cellTest({ network: {} });

const mail = (occasion: string, { id, admin } = network) => ({
  networkId: id,
  userId: admin.userId,
  occasion,
  recipient: "dana@example.org",
  subject: "Dues",
  body: "Dues.",
});

test("a mail that is being sent when its network is paused is noted before the guard comes", async () => {
  await queueMail(app.db, mail("first"));
  expect(await untilDelivered(owner.db, network.id)).toBe(true);

  let isSent = false;
  let finish = () => {};
  const sending = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun = Promise.withResolvers<void>();
  const sent = sendDueMail(app.db, async () => {
    begun.resolve();
    await sending;
    isSent = true;
  });
  await begun.promise;
  await moveNetworkTo(owner.db, network.id, "paused");
  await queueMail(app.db, mail("second"));
  expect(await untilDelivered(owner.db, network.id, 0)).toBe(false); // a server that takes too long

  const waited = untilDelivered(owner.db, network.id).then((isAll) => ({ isAll, isSent }));
  finish();
  expect(await waited).toEqual({ isAll: true, isSent: true });
  await sent;
  const { rows } = await sql`select occasion, status, attempts from mails
    where network_id = ${network.id} order by id`.execute(app.db);
  expect(rows).toEqual([
    { occasion: "first", status: "sent", attempts: 1 },
    { occasion: "second", status: "queued", attempts: 0 },
  ]);
});

test("a mail that takes longer than the pause waits for it fails nothing, and the others' are sent", async () => {
  const other = await makeNetwork(app.db);
  await queueMail(app.db, mail("slow"));
  const begun = Promise.withResolvers<void>();
  const guarded = Promise.withResolvers<void>();
  const recipients: string[] = [];
  const sent = sendDueMail(app.db, async ({ recipient }) => {
    recipients.push(recipient);
    if (recipients.length > 1) return;
    begun.resolve();
    await guarded.promise;
  });
  await begun.promise;
  await moveNetworkTo(owner.db, network.id, "paused");
  await guardNetwork(owner.pool, network.id);
  await queueMail(app.db, mail("theirs", other));
  guarded.resolve();
  await sent;
  expect(recipients.length).toBe(2);
  const { rows } = await sql`select occasion, status, attempts from mails
    where network_id in (${network.id}, ${other.id}) order by id`.execute(app.db);
  expect(rows).toEqual([
    { occasion: "slow", status: "queued", attempts: 1 },
    { occasion: "theirs", status: "sent", attempts: 1 },
  ]);
});

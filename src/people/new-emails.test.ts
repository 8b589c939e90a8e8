import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import {
  addAttorney,
  attorneyImports,
  callOffEmail,
  editAttorney,
  showAttorney,
} from "#people/contract.ts";
import { reviewEmailChanges } from "#access/sign-in/apply-email-changes.ts";
import {
  confirmEmailChange,
  inspectEmailChange,
  inspectLink,
  keepOldEmail,
  requestLink,
  signIn,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { purgeSignIns } from "#access/sign-in/purge.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aProgram } from "#tests/support/program.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";

/* The address of an account in use changes after the new address confirms, and the old one confirms or does not object. */

const test = appTest({
  sendsMail: true,
  network: { name: "Harbor County" },
  attorney: { firstName: "Maya", lastName: "Okafor", barNumber: "B77" },
});

let userId: number;
let right: string;
beforeEach(async () => {
  ({ userId } = await makeAccount(app.db, network, attorney));
  await givePassword(app.db, userId);
  right = `maya-${network.id}@new.example.test`;
});

const mine = () => ({ params: { id: attorney.id } });
const edit = (body: object) => admin.call(editAttorney, { ...mine(), body });
const ask = (email = right) => edit({ email });
const record = () => admin.call(showAttorney, mine());

const mailsTo = async (address: string) =>
  (await mailsOf(app.db, network)).filter(({ recipient }) => recipient === address);
const subjectsTo = async (address: string) =>
  (await mailsTo(address)).map(({ subject }) => subject);

/** The code of the latest confirmation link emailed to an address. */
async function codeTo(address: string): Promise<string> {
  const bodies = (await mailsTo(address)).map(({ body }) => body);
  const found = [...bodies.join("\n").matchAll(/\/sign-in\/address#([\w-]+)/g)].at(-1);
  if (!found?.[1]) throw new Error(`${address} was mailed no link.`);
  return found[1];
}

const byLink = async (address: string) => ({ body: { token: await codeTo(address) } });
const confirm = async (address: string) =>
  await aVisitor(app).ask(confirmEmailChange, await byLink(address));
const keep = async (address: string) =>
  await aVisitor(app).ask(keepOldEmail, await byLink(address));
const statusAt = async (email: string) =>
  (await aVisitor(app).send("POST", signIn.path, { email, password: testPassword })).status;

const letDaysPass = (days: number) =>
  sql`update email_changes set asked_at = asked_at - make_interval(days => ${days})
    where network_id = ${network.id}`.execute(app.db);

const actions = async () =>
  (await admin.call(listActivity, { query: { attorney_id: attorney.id } })).items
    .map(({ action, who }) => `${who} ${action}`)
    .toReversed();

describe("a new address for an account in use", () => {
  test("waits for confirmation, while other details change immediately", async () => {
    const session = await signedIn(app, attorney, network);
    const answered = await edit({ email: right, phone: "(555) 010-4477" });
    expect(answered).toMatchObject({
      email: attorney.email,
      phone: "(555) 010-4477",
      pendingEmail: {
        email: right,
        askedBy: "Ada Min",
        confirmedByNew: false,
        confirmedByOld: false,
      },
    });
    expect((await session.call(showSession)).user).not.toBeNull();
    expect(await statusAt(right)).toBe(401);
    expect(await statusAt(attorney.email)).toBe(200);
    expect((await subjectsTo(attorney.email))[0]).toBe(
      "A change of your email address was requested",
    );
    expect(await subjectsTo(right)).toEqual(["Confirm your new email address"]);
  });

  test("takes effect once both addresses have confirmed it", async () => {
    const session = await signedIn(app, attorney, network);
    await ask();
    expect((await confirm(right)).object).toMatchObject({ isApplied: false, mailedTo: "new" });
    expect((await record()).pendingEmail).toMatchObject({ confirmedByNew: true });
    const done = await confirm(attorney.email);
    expect(done.object).toMatchObject({
      name: "Maya Okafor",
      networkName: "Harbor County",
      oldEmail: attorney.email,
      newEmail: right,
      mailedTo: "old",
      isApplied: true,
    });
    expect(await record()).toMatchObject({ email: right, pendingEmail: null });
    expect((await session.call(showSession)).user).toBeNull();
    expect(await statusAt(attorney.email)).toBe(401);
    expect(await statusAt(right)).toBe(200);
    expect((await subjectsTo(attorney.email)).at(-1)).toBe(
      "The email address of your account was changed",
    );
    expect((await subjectsTo(right))[1]).toBe("Sign in with this address from now on");
    expect(await actions()).toEqual([
      "Ada Min asked for another email address",
      `Somebody at ${right} confirmed another email address`,
      `Somebody at ${attorney.email} confirmed another email address`,
      "Email changes changed the email address",
    ]);
  });

  test("takes effect without the old address after seven days, exactly once", async () => {
    await ask();
    await confirm(right);
    await letDaysPass(6);
    await reviewEmailChanges(app.db);
    expect((await record()).email).toBe(attorney.email);
    await letDaysPass(1);
    await Promise.all([reviewEmailChanges(app.db), reviewEmailChanges(app.db)]);
    await reviewEmailChanges(app.db);
    expect((await record()).email).toBe(right);
    const said = (await subjectsTo(right)).filter((subject) => subject.startsWith("Sign in with"));
    expect(said).toHaveLength(1);
    expect(await subjectsTo(attorney.email)).toHaveLength(2);
  });

  test("takes effect immediately if the new address confirms after seven days", async () => {
    await ask();
    await letDaysPass(8);
    await reviewEmailChanges(app.db);
    expect((await record()).email).toBe(attorney.email);
    expect((await confirm(right)).object.isApplied).toBe(true);
  });

  test("never takes effect without the new address: it ends after thirty days, and the old one is emailed", async () => {
    await ask();
    await confirm(attorney.email);
    await letDaysPass(29);
    await reviewEmailChanges(app.db);
    expect((await record()).pendingEmail).toMatchObject({ confirmedByOld: true });
    await letDaysPass(1);
    expect((await confirm(right)).status).toBe(404);
    await Promise.all([reviewEmailChanges(app.db), reviewEmailChanges(app.db)]);
    expect(await record()).toMatchObject({ email: attorney.email, pendingEmail: null });
    const kept = (await mailsTo(attorney.email)).filter(({ subject }) =>
      /was not changed/.test(subject),
    );
    expect(kept.map(({ body }) => body)).toEqual([
      expect.stringContaining("was not confirmed from the new address within thirty days"),
    ]);
    expect((await actions()).at(-1)).toBe("Email changes ended an unconfirmed email address");
  });

  test("can be cancelled for good by the old address", async () => {
    await ask();
    await confirm(right);
    const theNew = await byLink(right);
    expect((await keep(right)).status).toBe(403);
    const kept = await keep(attorney.email);
    expect(kept.object).toEqual({ email: attorney.email });
    await letDaysPass(8);
    await reviewEmailChanges(app.db);
    expect((await aVisitor(app).ask(confirmEmailChange, theNew)).status).toBe(404);
    expect(await record()).toMatchObject({ email: attorney.email, pendingEmail: null });
    for (const address of [attorney.email, right])
      expect((await subjectsTo(address)).at(-1)).toBe("Your email address was not changed");
    expect((await actions()).at(-1)).toBe(
      `Somebody at ${attorney.email} kept the old email address`,
    );
  });

  test("can be cancelled by an administrator, but not by a token", async () => {
    expect((await admin.ask(callOffEmail, mine())).status).toBe(409);
    await ask();
    const program = await aProgram(app, network);
    expect((await program.ask(callOffEmail, mine())).status).toBe(403);
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await stranger.ask(callOffEmail, mine())).status).toBe(404);
    const theNew = await byLink(right);
    expect((await admin.call(callOffEmail, mine())).pendingEmail).toBeNull();
    expect((await aVisitor(app).ask(confirmEmailChange, theNew)).status).toBe(404);
    const said = (await mailsTo(right)).at(-1);
    expect(said?.body).toContain("Ada Min canceled the change");
    expect((await actions()).at(-1)).toBe("Ada Min called off another email address");
  });

  test("replaces an earlier request, whose email is no longer sent", async () => {
    await ask();
    const theFirst = await byLink(right);
    const newer = `newer-${right}`;
    expect((await ask(newer)).pendingEmail).toMatchObject({ email: newer });
    expect((await aVisitor(app).ask(confirmEmailChange, theFirst)).status).toBe(404);
    const { rows } = await sql<{ status: string; body: string }>`
      select status, body from mails where network_id = ${network.id} and recipient = ${right}`.execute(
      app.db,
    );
    expect(rows).toEqual([
      { status: "withdrawn", body: expect.stringContaining("/sign-in/address#…") },
    ]);
    await confirm(newer);
    expect((await confirm(attorney.email)).object.isApplied).toBe(true);
    expect((await record()).email).toBe(newer);
  });

  test("keeps its days when it is requested again or other details are saved", async () => {
    const { pendingEmail: asked } = await ask();
    await letDaysPass(3);
    await ask();
    await edit({ phone: "(555) 010-4478" });
    const { pendingEmail } = await edit({ email: attorney.email, bar_number: "B78" });
    expect(pendingEmail?.email).toBe(right);
    expect(Date.parse(pendingEmail?.askedAt ?? "")).toBeLessThan(Date.parse(asked?.askedAt ?? ""));
    expect(await subjectsTo(right)).toHaveLength(1);
  });

  test("is refused immediately if somebody has it", async () => {
    const colleague = await makeAttorney(app.db, network);
    await makeAdmin(app.db, network, { email: right });
    for (const email of [colleague.email, right])
      expect(await admin.ask(editAttorney, { ...mine(), body: { email } })).toMatchObject({
        status: 409,
        errors: [{ path: "email" }],
      });
    expect((await record()).pendingEmail).toBeNull();
  });

  test("ends with a message if somebody else has taken it in the meantime", async () => {
    await ask();
    await confirm(right);
    const someone = { first_name: "Ann", last_name: "Abbott", email: right };
    await admin.call(addAttorney, { body: someone });
    expect(await confirm(attorney.email)).toMatchObject({
      status: 409,
      message: `Another account now uses ${right}, so your email address is still ${attorney.email}.`,
    });
    expect(await record()).toMatchObject({ email: attorney.email, pendingEmail: null });
    expect((await mailsTo(attorney.email)).at(-1)?.body).toContain(
      "another account uses that address",
    );
    expect(await subjectsTo(right)).toEqual(["Confirm your new email address"]);
  });

  test("taken by another account ends after its days, without blocking other changes", async () => {
    const colleague = await makeAttorney(app.db, network);
    const account = await makeAccount(app.db, network, colleague);
    await givePassword(app.db, account.userId);
    const other = `other-${right}`;
    await ask();
    await admin.call(editAttorney, { params: { id: colleague.id }, body: { email: other } });
    for (const address of [right, other]) await confirm(address);
    await makeAdmin(app.db, network, { email: right });
    await letDaysPass(7);
    await reviewEmailChanges(app.db);
    expect(await record()).toMatchObject({ email: attorney.email, pendingEmail: null });
    const moved = await admin.call(showAttorney, { params: { id: colleague.id } });
    expect(moved.email).toBe(other);
  });

  test("confirmed by both at the same moment takes effect once", async () => {
    await ask();
    const [theNew, theOld] = [await byLink(right), await byLink(attorney.email)];
    const replies = await Promise.all(
      [theNew, theOld, theNew].map((link) => aVisitor(app).ask(confirmEmailChange, link)),
    );
    for (const { status } of replies) expect([200, 404]).toContain(status);
    expect((await record()).email).toBe(right);
    const said = (await subjectsTo(right)).filter((subject) => subject.startsWith("Sign in with"));
    expect(said).toHaveLength(1);
  });

  test("ends existing password links when it is requested", async () => {
    await aVisitor(app).call(requestLink, { body: { email: attorney.email } });
    const [mail] = await mailsTo(attorney.email);
    const token = /\/sign-in\/link#([\w-]+)/.exec(mail?.body ?? "")?.[1];
    expect((await aVisitor(app).ask(inspectLink, { body: { token } })).status).toBe(200);
    await ask();
    expect((await aVisitor(app).ask(inspectLink, { body: { token } })).status).toBe(404);
    const { rows } = await sql`select status from mails where network_id = ${network.id}
      and occasion like 'password reset:%'`.execute(app.db);
    expect(rows).toEqual([{ status: "withdrawn" }]);
  });

  test("receives the attorney's queued emails once it takes effect, except those about signing in", async () => {
    const receipt = { networkId: network.id, subject: "A receipt", body: "Thank you." };
    const { email: recipient, id: attorneyId } = attorney;
    await queueMail(app.db, { ...receipt, attorneyId, occasion: "receipt", recipient });
    await statusAt(attorney.email); // on a new device
    await ask();
    expect(await subjectsTo(attorney.email)).toContain("A receipt");
    await confirm(right);
    await confirm(attorney.email);
    expect(await subjectsTo(right)).toContain("A receipt");
    expect(await subjectsTo(attorney.email)).toContain("A new device signed in to your account");
  });
});

describe("a link to confirm an address", () => {
  test("shows the old and new address without changing anything", async () => {
    await ask();
    const before = await record();
    for (const [address, mailedTo] of [
      [right, "new"],
      [attorney.email, "old"],
    ] as const) {
      const reply = await aVisitor(app).ask(inspectEmailChange, await byLink(address));
      expect(reply.object).toEqual({
        name: "Maya Okafor",
        networkName: "Harbor County",
        oldEmail: attorney.email,
        newEmail: right,
        askedBy: "Ada Min",
        mailedTo,
        confirmedByOld: false,
        confirmedByNew: false,
        appliesOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        isApplied: false,
      });
    }
    expect(await record()).toEqual(before);
  });

  test("is neither in the database nor shown to administrators", async () => {
    await ask();
    const codes = [await codeTo(right), await codeTo(attorney.email)];
    const { rows } = await sql<{ row: string }>`
      select c::text as row from email_changes c union all select e::text from audit_entries e`.execute(
      app.db,
    );
    const shown = await admin.sendRaw({ method: "GET", url: "/mail" });
    const texts = [...rows.map(({ row }) => row), shown.text].join();
    for (const code of codes) expect(texts).not.toContain(code);
  });

  test("with an unknown code is 404, with a malformed code 422", async () => {
    for (const { path } of [inspectEmailChange, confirmEmailChange, keepOldEmail])
      for (const [token, status] of [
        ["x".repeat(43), 404],
        ["short", 422],
      ] as const)
        expect((await aVisitor(app).send("POST", path, { token })).status).toBe(status);
  });
});

test("a change is deleted a month after it ended, but not while it waits", async () => {
  const changes = async () =>
    (
      await sql<{ ended: string | null }>`select ended from email_changes
        where network_id = ${network.id} order by id`.execute(app.db)
    ).rows.map(({ ended }) => ended);
  await ask();
  await ask(`newer-${right}`);
  await sql`update email_changes set ended_at = ended_at - interval '29 days'
    where network_id = ${network.id}`.execute(app.db);
  await purgeSignIns(app.db);
  expect(await changes()).toEqual(["replaced", null]);
  await sql`update email_changes set ended_at = ended_at - interval '2 days'
    where network_id = ${network.id}`.execute(app.db);
  await purgeSignIns(app.db);
  expect(await changes()).toEqual([null]);
});

describe("the address of an account never used", () => {
  test("changes immediately, and its invitation ends", async () => {
    const invited = await makeAttorney(app.db, network);
    await makeAccount(app.db, network, invited);
    const changed = await admin.call(editAttorney, {
      params: { id: invited.id },
      body: { email: right },
    });
    expect(changed).toMatchObject({ email: right, pendingEmail: null });
    expect(await mailsOf(app.db, network)).toEqual([]);
  });
});

describe("a file with a new address for an account in use", () => {
  const query = { file_name: "panel.csv" };
  const fileOf = (...rows: string[]) =>
    `first name,last name,email,bar no,phone\n${rows.join("\n")}`;
  const preview = (body: string) => admin.call(attorneyImports.preview, { query, body });
  const bring = async (body: string) => {
    const { digest } = await preview(body);
    return await admin.call(attorneyImports.importing, { query: { ...query, digest }, body });
  };
  const mayas = () => `Maya,Okafor,${right},B77,`;

  test("requests it, says so before and after, and changes the other details", async () => {
    const other = await makeAttorney(app.db, network, { barNumber: "B88" });
    const body = fileOf(`Maya,Okafor,${right},B77,555-010-4477`, `Ann,Abbott,ann-${right},B88,`);
    const planned = await preview(body);
    expect(planned).toMatchObject({ changed: 2, emailsAsked: 1 });
    expect(planned.firstRows.map(({ values }) => [values["email"], values["new_email"]])).toEqual([
      [attorney.email, right],
      [`ann-${right}`, undefined],
    ]);
    expect(await bring(body)).toMatchObject({ changed: 2, emailsAsked: 1 });
    expect(await record()).toMatchObject({
      email: attorney.email,
      phone: "(555) 010-4477",
      pendingEmail: { email: right, askedBy: "Ada Min" },
    });
    const moved = await admin.call(showAttorney, { params: { id: other.id } });
    expect(moved.email).toBe(`ann-${right}`);
  });

  test("requests it once in thirty days, even if it was undone", async () => {
    expect(await bring(fileOf(mayas()))).toMatchObject({ changed: 1, emailsAsked: 1 });
    const nightly = { changed: 0, unchanged: 1, emailsAsked: 0 };
    expect(await preview(fileOf(mayas()))).toMatchObject(nightly);
    await keep(attorney.email);
    expect(await preview(fileOf(mayas()))).toMatchObject(nightly);
    await letDaysPass(30);
    expect(await preview(fileOf(mayas()))).toMatchObject({ changed: 1, emailsAsked: 1 });
  });

  test("matches the attorney by the requested address", async () => {
    await ask();
    const body = fileOf(`Maya,Okafor,${right},,555-010-4479`);
    expect(await bring(body)).toMatchObject({ added: 0, changed: 1, emailsAsked: 0 });
    expect((await record()).phone).toBe("(555) 010-4479");
  });

  test("requests hundreds at the same time", async () => {
    const size = 300;
    await sql`
      with panel as (
        insert into attorneys (network_id, first_name, last_name, email, bar_number)
        select ${network.id}, 'Panel', 'Member', 'old-' || k || '-' || ${right}, 'M' || k
        from generate_series(1, ${size}::integer) as k returning id, email
      )
      insert into users (network_id, role, attorney_id, name, email, in_use_since)
      select ${network.id}, 'attorney', id, 'Panel Member', email, now() from panel`.execute(
      app.db,
    );
    const rows = Array.from(
      { length: size },
      (_, k) => `Panel,Member,new-${k + 1}-${right},M${k + 1},`,
    );
    expect(await bring(fileOf(...rows))).toMatchObject({ changed: size, emailsAsked: size });
    const mails = await mailsOf(app.db, network);
    expect(new Set(mails.map(({ recipient }) => recipient)).size).toBe(2 * size);
  });
});

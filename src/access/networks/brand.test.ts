import { sql } from "kysely";
import { expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { queueMail, sendDueMail } from "#outgoing/mail/outbox.ts";
import { openMailTransport } from "#outgoing/mail/mail-transport.ts";
import { changeBrand, changeLogo, showBrand } from "#access/networks/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { admin, app, appTest, lawyer, network } from "#tests/support/app-test.ts";
import { MailServer } from "#tests/support/mail-server.ts";
import { aChunk, aJpeg, aPng } from "#tests/support/pictures.ts";
import { signedIn } from "#tests/support/visitor.ts";

const test = appTest({ network: { name: "Harbor County" }, attorney: {}, lawyer: true });

const office = {
  name: "Harbor County Bar",
  postal_address: "  1 Main Street \n\n Harbor, NY 10013",
  phone: "555.010.4477",
  email: "Office@Example.test",
};

test("changes of the network's name, address, phone and email are audited and appear below emails", async () => {
  const saved = {
    name: "Harbor County Bar",
    postalAddress: ["1 Main Street", "Harbor, NY 10013"],
    phone: "(555) 010-4477",
    email: "office@example.test",
    logo: null,
  };
  expect(await admin.call(changeBrand, { body: office })).toEqual(saved);
  expect(await admin.call(changeBrand, { body: { email: office.email } })).toEqual(saved);
  expect(await admin.call(showBrand)).toEqual(saved);
  expect((await admin.call(showSession)).user?.networkName).toBe("Harbor County Bar");
  const { items } = await admin.call(listActivity);
  expect(items.map(({ action }) => action)).toEqual(["changed brand"]);

  const server = await MailServer.start();
  await queueMail(app.db, {
    networkId: network.id,
    userId: network.admin.userId,
    occasion: "greeting",
    recipient: "grace@example.test",
    subject: "Greeting",
    body: "Dear Grace,",
  });
  const post = openMailTransport({
    smtpUrl: server.url,
    from: "no-reply@example.test",
    dataDir: "",
    publicUrl: "https://dues.example.test",
  });
  await sendDueMail(app.db, post);
  await server.close();
  expect(server.received.map(({ text }) => text)).toEqual([
    [
      "Dear Grace,",
      "",
      "Harbor County Bar",
      "1 Main Street",
      "Harbor, NY 10013",
      "(555) 010-4477",
      "office@example.test",
      "",
    ].join("\r\n"),
  ]);
});

test("invalid contact details are refused", async () => {
  for (const [body, message] of [
    [{}, "The request must change something."],
    [{ name: " " }, "Enter a name."],
    [{ postal_address: "a\nb\nc\nd\ne\nf\ng" }, "Postal address must have at most 6 lines"],
    [{ phone: "12" }, "Phone must be a US phone number"],
    [{ email: "nobody" }, "Email must be an email address"],
  ] as const) {
    const reply = await admin.ask(changeBrand, { body });
    expect([reply.status, reply.message]).toEqual([422, expect.stringContaining(message)]);
  }
});

test("a logo is served as a picture, only within its network, until it is removed", async () => {
  const path = "/legal_networks/logo";
  const none = await lawyer.sendRaw({ method: "GET", url: path });
  expect([none.status, none.message]).toEqual([404, "There is no such logo."]);

  const png = aPng({ more: [aChunk("tEXt", Buffer.from("Author\0Ada"))] });
  const { logo } = await admin.call(changeLogo, { body: png });
  expect(logo).toMatchObject({ width: 60, height: 20 });
  const shown = await lawyer.sendRaw({ method: "GET", url: logo?.path ?? "" });
  expect(shown.headers).toMatchObject({
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "content-security-policy":
      "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(shown.bytes.equals(aPng())).toBe(true); // without its text
  const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
  expect((await stranger.sendRaw({ method: "GET", url: path })).status).toBe(404);

  const second = await admin.call(changeLogo, { body: aJpeg() });
  expect(second.logo).toMatchObject({ width: 40, height: 30 });
  expect(second.logo?.path).not.toBe(logo?.path);
  const ifNoneMatch = (tag: unknown) =>
    lawyer.sendRaw({ method: "GET", url: path, headers: { "if-none-match": String(tag) } });
  const again = await ifNoneMatch(shown.headers["etag"]);
  expect(again.status).toBe(200);
  for (const tag of [again.headers["etag"], `W/${String(again.headers["etag"])}`, "*"])
    expect(await ifNoneMatch(tag)).toMatchObject({ status: 304, text: "" });
  const jpeg = await admin.sendRaw({ method: "GET", url: path });
  expect(jpeg.headers["content-type"]).toBe("image/jpeg");
  expect(jpeg.text).not.toContain("taken at home");
  const removed = await admin.call(changeBrand, { body: { remove_logo: true } });
  expect(removed.logo).toBeNull();
  await admin.call(changeBrand, { body: { remove_logo: true } });
  const { items } = await admin.call(listActivity);
  expect(items.map(({ action }) => action)).toEqual([
    "removed logo",
    "changed logo",
    "changed logo",
  ]);
});

test("a logo that is no picture, too large, damaged or not printable is refused, and the old one stays", async () => {
  await admin.call(changeLogo, { body: aPng() });
  const damaged = aPng();
  damaged.writeUInt8(damaged.readUInt8(45) ^ 1, 45);
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  for (const [body, message] of [
    [Buffer.alloc(0), "must be a PNG or JPEG picture"],
    [svg, "must be a PNG or JPEG picture"],
    [Buffer.from("GIF89a"), "must be a PNG or JPEG picture"],
    [Buffer.concat([aPng(), Buffer.alloc(205_000)]), "larger than 200 kB"],
    [aPng({ width: 1001, pixels: Buffer.alloc(1) }), "1001 × 20 pixels"],
    [aPng({ interlaced: true }), "without interlacing"],
    [aPng({ pixels: Buffer.alloc(10) }), "cannot be read"],
    [aPng({ pixels: Buffer.alloc(1_000_000) }), "cannot be read"],
    [aPng({ pixels: Buffer.alloc(20 * 241, 9) }), "cannot be read"],
    [aPng().subarray(0, 60), "cannot be read"],
    [damaged, "cannot be read"],
    [
      aPng({ more: [aChunk("IHDR", Buffer.from("00007530000075300806000000", "hex"))] }),
      "cannot be read",
    ],
    [aJpeg().subarray(0, 20), "cannot be read"],
    [aJpeg({ width: 4000 }), "4000 × 30 pixels"],
  ] as const) {
    const reply = await admin.ask(changeLogo, { body });
    expect([reply.status, reply.message]).toEqual([422, expect.stringContaining(message)]);
  }
  expect((await admin.call(showBrand)).logo).toMatchObject({ width: 60 });
  const stored = await sql`select from network_logos where network_id = ${network.id}`.execute(
    app.db,
  );
  expect(stored.rows).toHaveLength(1);
});

import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { attorneyImports } from "#people/contract.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { Envelope } from "#kit/contract/envelope.ts";
import { admin, app, appTest } from "#tests/support/app-test.ts";
import { portOf, RawConnection } from "#tests/support/raw-http.ts";
import { aVisitor, type Reply } from "#tests/support/visitor.ts";

/* Text that cannot be read as it was meant. That every call refuses it: tests/interface/refusals.test.ts */

const test = appTest({ network: {} });

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf8Sentence = "The request is not valid UTF-8 text.";
const charsetSentence = "The request must be in UTF-8 (charset=utf-8).";
const addressSentence =
  "The address is not valid. Characters other than ASCII must be percent-encoded UTF-8.";

const post = (url: string, headers: Record<string, string>, payload: string | Buffer) =>
  admin.sendRaw({
    method: "POST",
    url,
    headers: { "x-csrf-token": admin.csrf, ...headers },
    payload,
  });

const postPlan = (name: string | Buffer, type = "application/json", encoding = "identity") =>
  post(
    createPlan.path,
    { "content-type": type, "content-encoding": encoding },
    Buffer.concat([
      Buffer.from('{"payment_amount":50,"payment_frequency_in_months":1,"name":"'),
      Buffer.from(name),
      Buffer.from('"}'),
    ]),
  );

const facts = ({ status, message }: Reply) => [status, message];

test("a name in invalid UTF-8 is refused, and nothing is recorded", async () => {
  for (const bytes of [latin1("Cotización"), Buffer.from("edb081", "hex"), Buffer.from([0xc3])])
    expect(facts(await postPlan(bytes))).toEqual([400, utf8Sentence]);
  expect(await admin.call(listPlans)).toEqual([]);
  expect((await postPlan("Cotización")).object).toMatchObject({ name: "Cotización" });
});

test.each(["utf-8", "UTF-8", '"utf-8"', "utf8", "us-ascii"])(
  "JSON in %s is read",
  async (charset) => {
    expect((await postPlan("Dues", `application/json; charset=${charset}`)).status).toBe(200);
  },
);

test("a byte order mark before JSON is skipped", async () => {
  const body = '\ufeff{"name":"Dues","payment_amount":50,"payment_frequency_in_months":1}';
  const reply = await post(createPlan.path, { "content-type": "application/json" }, body);
  expect(reply.status).toBe(200);
});

test.each(["gzip", "br", "identity, gzip", "nonsense"])(
  "a body that is packed with %s is refused, which says that none may be",
  async (encoding) => {
    const reply = await postPlan("Dues", "application/json", encoding);
    expect(facts(reply)).toEqual([
      415,
      "The request must not be compressed. Send it without Content-Encoding.",
    ]);
    expect(reply.headers["accept-encoding"]).toBe("identity");
  },
);

test("a file's bytes tell which of two encodings it has, and the request may say it too", async () => {
  const { path } = attorneyImports.preview;
  const send = (type: string) =>
    post(
      `${path}?file_name=panel.csv`,
      { "content-type": type },
      latin1("First name,Last name,E-mail\r\nZoë,March,zoe@example.test\r\n"),
    );
  for (const type of ["text/csv", "text/csv; charset=iso-8859-1", "text/csv;charset=windows-1252"])
    expect((await send(type)).object).toMatchObject({
      firstRows: [{ values: { name: "Zoë March" } }],
    });
  expect(facts(await send("text/csv; charset=utf-16"))).toEqual([415, charsetSentence]);
});

test("a report of a content security policy is refused like a call", async () => {
  const type = "application/csp-report";
  const report = '{"csp-report":{"effective-directive":"ñ"}}';
  const url = "/csp-reports";
  expect((await post(url, { "content-type": type }, report)).status).toBe(204);
  expect(facts(await post(url, { "content-type": type }, latin1(report)))).toEqual([
    400,
    utf8Sentence,
  ]);
  expect((await post(url, { "content-type": `${type}; charset=utf-16` }, report)).status).toBe(415);
  const packed = { "content-type": type, "content-encoding": "gzip" };
  expect((await post(url, packed, gzipSync(report))).status).toBe(415);
});

test("a card processor may send any encoding", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded; charset=iso-8859-1" };
  const posted = await post("/payflow/return", form, "RESULT=0&SECURETOKENID=x1&NAME=Pe%F1a");
  const named = await post("/payflow/return", form, latin1("RESULT=0&SECURETOKENID=x1&NAME=Peña"));
  const led = await aVisitor(app).sendRaw({
    method: "GET",
    url: "/payflow/return?RESULT=0&SECURETOKENID=x1&NAME=Pe%F1a",
  });
  for (const reply of [posted, named, led]) {
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('"secureTokenId":"x1"');
  }
  const notice = { "content-type": "application/json; charset=iso-8859-1" };
  // Taken as bytes, whose signature decides: this network has no webhook.
  expect((await post("/webhooks/anet/1", notice, latin1('{"name":"Peña"}'))).status).toBe(404);
});

test.each([
  "/attorneys?search=%F1",
  "/attorneys?search=%",
  "/attorneys?search=%zz",
  "/attorneys?search=a&%C3=1",
  "/attorneys?search=%ED%A0%80",
  "/sign-in?next=%F1",
  "/nowhere?a=%F1",
])("%s is not well formed", async (url) => {
  const reply = await admin.sendRaw({ method: "GET", url });
  expect(facts(reply)).toEqual([400, addressSentence]);
});

test.each(["/sign-in%F1", "/attorneys/%F1", "/assets/%F1.js", "/nowhere/%"])(
  "the path %s is not well formed",
  async (url) => {
    const reply = await admin.sendRaw({ method: "GET", url });
    expect(facts(reply)).toEqual([400, "The address is not valid."]);
  },
);

test("a search in UTF-8 is understood, however its blanks are written", async () => {
  for (const search of ["Pe%C3%B1a", "Ada+Byron", "Ada%20Byron", "100%25"])
    expect((await admin.send("GET", `/attorneys?search=${search}`)).status).toBe(200);
});

test("bytes other than ASCII in an address are refused", async () => {
  const connection = await RawConnection.open(await portOf(app));
  connection.socket.write(
    latin1("GET /session?search=\xc3\xb1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
  );
  await connection.closed;
  expect(connection.status).toBe(400);
  const body = connection.text.split("\r\n\r\n")[1] ?? "";
  expect(Envelope.strict().parse(JSON.parse(body))).toMatchObject({ success: false });
});

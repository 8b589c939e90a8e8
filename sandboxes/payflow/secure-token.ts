import { randomBytes } from "node:crypto";
import { zero } from "#domain/money.ts";
import { amountIn, refused } from "./wanted.ts";
import type { Journal } from "./journal.ts";
import type { Fields } from "./name-value.ts";

/** CREATESECURETOKEN=Y: nothing is run yet; the form that a browser posts runs it. */
export function makeSecureToken(journal: Journal, vendor: string, wanted: Fields): Fields {
  const { SECURETOKENID: id = "", TRXTYPE: type, RETURNURL: returnUrl } = wanted;
  const amountCents = wanted["AMT"] === "0" || wanted["AMT"] === "0.00" ? zero : amountIn(wanted);
  if (amountCents === null) return refused(4);
  const isTaken = journal.tokens.values().some((each) => each.id === id && each.vendor === vendor);
  const isReadable = /^[A-Za-z0-9]{1,36}$/.test(id) && (type === "A" || type === "S");
  if (!isReadable || isTaken || returnUrl === undefined) return refused(7, "SECURETOKENID");
  const token = randomBytes(18).toString("base64").replace(/.$/, "=");
  const { PWD: _password, USER: _user, VENDOR: _vendor, PARTNER: _partner, ...fields } = wanted;
  journal.tokens.set(token, {
    token,
    id,
    vendor,
    type,
    amountCents,
    fields,
    madeAt: journal.house.clock.now(),
    submissions: 0,
    isUsed: false,
  });
  return { RESULT: "0", SECURETOKEN: token, SECURETOKENID: id, RESPMSG: "Approved" };
}

import { randomBytes } from "node:crypto";
import { zero } from "#kit/domain/money.ts";
import type { Fields } from "./name-value.ts";
import { amountIn, refused } from "./reply-fields.ts";
import type { PayflowStore } from "./store.ts";

/**
 * CREATESECURETOKEN=Y: nothing is run until a browser posts the form: a sale (TRXTYPE=S), or the
 * verification of a card (A, without an amount).
 */
export function createSecureToken(store: PayflowStore, vendor: string, fields: Fields): Fields {
  const { SECURETOKENID: id = "", TRXTYPE: type, RETURNURL: returnUrl } = fields;
  const isVerification = type === "A" && /^0(\.00)?$/.test(fields["AMT"] ?? "");
  const amountCents = isVerification ? zero : amountIn(fields);
  if (amountCents === null || (type === "A" && !isVerification)) return refused(4);
  const isTaken = store.tokens.values().some((each) => each.id === id && each.vendor === vendor);
  const isReadable = /^[A-Za-z0-9]{1,36}$/.test(id) && (type === "A" || type === "S");
  if (!isReadable || isTaken || returnUrl === undefined) return refused(7, "SECURETOKENID");
  const token = randomBytes(18).toString("base64").replace(/.$/, "=");
  const { PWD: _password, USER: _user, VENDOR: _vendor, PARTNER: _partner, ...rest } = fields;
  const madeAt = store.context.clock.now();
  store.tokens.set(token, {
    token,
    id,
    vendor,
    type,
    amountCents,
    fields: rest,
    madeAt,
    submissions: 0,
    isUsed: false,
  });
  return { RESULT: "0", SECURETOKEN: token, SECURETOKENID: id, RESPMSG: "Approved" };
}

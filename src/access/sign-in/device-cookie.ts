import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "#kit/db/database.ts";
import { cookieName } from "#kit/http/cookie-names.ts";

/*
 * A cookie recognizes a browser that has signed in, or has just chosen a password with a link. Its failed sign-ins are
 * counted separately, so that guesses made elsewhere do not lock the owner out. The cookie holds the browser's id and,
 * for each account, an HMAC of the id, the email address, and the ids of the current password and authenticator app. It
 * cannot be forged without our secret, and a new password or app invalidates it. It does not sign anyone in.
 */

const yearSeconds = 365 * 24 * 60 * 60;

/** People who share a browser, last sign-in first. */
const maxAccounts = 5;

interface DeviceSettings {
  secret: string;
  publicUrl: string;
}

const isSecure = ({ publicUrl }: DeviceSettings) => publicUrl.startsWith("https:");
const deviceCookieName = (settings: DeviceSettings) => cookieName("device", isSecure(settings));

const cookiePattern = /^[\w-]{22}(\.[\w-]{43}){1,5}$/;

/** The id of the request's browser if it is known for this account, else null. */
export async function knownDevice(
  db: Db,
  request: FastifyRequest,
  email: string,
  settings: DeviceSettings,
): Promise<string | null> {
  const device = deviceOf(request, settings);
  if (device.proofs.length === 0) return null;
  const proof = await proofFor(db, device.id, email, settings.secret);
  return proof !== null && device.proofs.some((known) => equal(known, proof)) ? device.id : null;
}

/** Set the cookie that recognizes the browser for this account. */
export async function rememberDevice(
  db: Db,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  email: string,
  settings: DeviceSettings,
): Promise<void> {
  const { id, proofs } = deviceOf(request, settings);
  const proof = await proofFor(db, id, email, settings.secret);
  if (proof === null) return;
  const others = proofs.filter((known) => known !== proof);
  const value = [id, proof, ...others.slice(0, maxAccounts - 1)].join(".");
  void reply.setCookie(deviceCookieName(settings), value, {
    path: "/",
    maxAge: yearSeconds,
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(settings),
  });
}

interface Device {
  id: string;
  proofs: string[];
}

/** The request's cookie, not verified, or a new id. */
function deviceOf(request: FastifyRequest, settings: DeviceSettings): Device {
  const value = request.cookies[deviceCookieName(settings)] ?? "";
  if (!cookiePattern.test(value)) return { id: randomBytes(16).toString("base64url"), proofs: [] };
  const [id = "", ...proofs] = value.split(".");
  return { id, proofs };
}

/** Null for an account that does not exist or has no password. */
async function proofFor(db: Db, id: string, email: string, secret: string): Promise<string | null> {
  const address = email.trim().toLowerCase();
  const account = await db
    .selectFrom("users")
    .innerJoin("accounts", (on) =>
      on
        .onRef("accounts.networkId", "=", "users.networkId")
        .onRef("accounts.userId", "=", "users.id"),
    )
    .leftJoin("twoFactors", (on) =>
      on
        .onRef("twoFactors.networkId", "=", "users.networkId")
        .onRef("twoFactors.userId", "=", "users.id")
        .on("twoFactors.verified", "=", true),
    )
    .select(["accounts.password", "accounts.passwordId", "twoFactors.id as factorId"])
    .where("users.email", "=", address)
    .where("accounts.providerId", "=", "credential")
    .executeTakeFirst();
  if (!account?.password) return null;
  const { passwordId, factorId } = account;
  const bound = JSON.stringify([id, address, passwordId, ...(factorId === null ? [] : [factorId])]);
  return createHmac("sha256", secret).update(`device:${bound}`).digest("base64url");
}

function equal(known: string, proof: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(proof)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { RunningApp } from "#tests/support/running-app.ts";

/** A passkey as a security key holds it. */
export interface HeldPasskey {
  /** What a browser sends for a challenge, once its holder has been verified. */
  answer: (challenge: string) => {
    id: string;
    rawId: string;
    type: "public-key";
    response: { clientDataJSON: string; authenticatorData: string; signature: string };
    clientExtensionResults: Record<string, never>;
  };
}

/** The default is that of `anApp`. */
const origin = "http://localhost:3000";

const hash = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** Give an account a passkey; the test has its key. */
export async function givePasskey(
  { db }: Pick<RunningApp, "db">,
  userId: number,
): Promise<HeldPasskey> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  // CBOR of a key for ECDSA with SHA-256 on P-256 (RFC 9053): {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const encoded = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  const id = randomBytes(16).toString("base64url");
  await db
    .insertInto("passkeys")
    .values({
      userId,
      publicKey: encoded.toString("base64"),
      credentialId: id,
      counter: 0,
      deviceType: "singleDevice",
      backedUp: false,
    })
    .execute();
  const present = Buffer.from([0b101, 0, 0, 0, 0]); // user present and verified; the counter is not used
  const authenticatorData = Buffer.concat([hash(new URL(origin).hostname), present]);
  return {
    answer: (challenge) => {
      const client = JSON.stringify({ type: "webauthn.get", challenge, origin });
      const signed = Buffer.concat([authenticatorData, hash(client)]);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: Buffer.from(client).toString("base64url"),
          authenticatorData: authenticatorData.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
        },
        clientExtensionResults: {},
      };
    },
  };
}

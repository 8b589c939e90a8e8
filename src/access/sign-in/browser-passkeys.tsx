import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Whether this browser knows passkeys; it does so over TLS and on this machine only. */
export const knowsPasskeys = (): boolean => "PublicKeyCredential" in window;

/** The person closed the browser's dialog, or has no passkey for this site. */
export class NoPasskeyUsed extends Error {}

/** Loaded when a passkey is made or used. */
const library = async () => await import("@simplewebauthn/browser");

/** Have the browser make a passkey. Throws NoPasskeyUsed, also where this device has one for the account. */
export async function makePasskey(options: Record<string, unknown>) {
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON; // the server's library made them
  return plain(await orNone(startRegistration({ optionsJSON })));
}

/** Have the browser prove who this is by a passkey. Throws NoPasskeyUsed. */
export async function provePasskey(options: Record<string, unknown>) {
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON; // the server's library made them
  return plain(await orNone(startAuthentication({ optionsJSON })));
}

/** As the contract takes it: an object of JSON. */
const plain = (made: { id: string; rawId: string; type: "public-key"; response: object }) => ({
  ...made,
  // An interface has no index signature; these are what WebAuthn has in them.
  response: { ...made.response } as Record<string, string | number | string[]>,
});

/** Browsers say why only by an error's name; what is missing, closed or timed out is one of these. */
async function orNone<Made>(asked: Promise<Made>): Promise<Made> {
  try {
    return await asked;
  } catch (problem) {
    const name = problem instanceof Error ? problem.name : "";
    if (name === "InvalidStateError")
      throw new NoPasskeyUsed("This device already has a passkey of your account.");
    if (["NotAllowedError", "AbortError", "NotSupportedError"].includes(name))
      throw new NoPasskeyUsed("No passkey was used. Try again when you are ready.");
    throw problem;
  }
}

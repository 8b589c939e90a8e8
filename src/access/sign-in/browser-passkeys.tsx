import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Whether this browser offers passkeys, which it does only over TLS or on localhost. */
export const knowsPasskeys = (): boolean => "PublicKeyCredential" in window;

/** The person closed the browser's dialog, or has no passkey for this site. */
export class NoPasskeyUsed extends Error {}

/** Loaded when a passkey is made or used. */
const library = async () => await import("@simplewebauthn/browser");

/** Create a passkey in the browser. Throws NoPasskeyUsed, also if this device already has one for the account. */
export async function makePasskey(options: Record<string, unknown>) {
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON; // made by the server's library
  return plain(await orNone(startRegistration({ optionsJSON })));
}

/** Prove who this is with a passkey of the browser. Throws NoPasskeyUsed. */
export async function provePasskey(options: Record<string, unknown>) {
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON; // made by the server's library
  return plain(await orNone(startAuthentication({ optionsJSON })));
}

/** The JSON object that the contract expects. */
const plain = (made: { id: string; rawId: string; type: "public-key"; response: object }) => ({
  ...made,
  // An interface has no index signature; WebAuthn uses only these types.
  response: { ...made.response } as Record<string, string | number | string[]>,
});

/** Browsers give the reason only in the error's name: no passkey, a closed dialog or a timeout is one of these. */
async function orNone<Made>(asked: Promise<Made>): Promise<Made> {
  try {
    return await asked;
  } catch (problem) {
    const name = problem instanceof Error ? problem.name : "";
    if (name === "InvalidStateError")
      throw new NoPasskeyUsed("This device already has a passkey for your account.");
    if (["NotAllowedError", "AbortError", "NotSupportedError"].includes(name))
      throw new NoPasskeyUsed("No passkey was used. Try again when you are ready.");
    throw problem;
  }
}

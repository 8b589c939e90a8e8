import { call, requestBody } from "#kit/web/api.tsx";
import { provePasskey } from "./browser-passkeys.tsx";
import { signInByPasskey, startPasskeySignIn } from "./contract.ts";

/** Start a session with a passkey. Reload the page afterwards, as after a password. */
export async function signInWithPasskey(): Promise<void> {
  const response = await provePasskey(await call(startPasskeySignIn));
  await call(signInByPasskey, { body: requestBody(signInByPasskey, { response }) });
}

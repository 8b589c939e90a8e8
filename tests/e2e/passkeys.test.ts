import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CDPSession } from "playwright-core";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { signInByPasskey, startPasskeySignIn } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { app } from "#tests/support/app-test.ts";
import { address, openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/*
 * The browser's virtual authenticator stands for a phone or a security key: it makes real keys and signs with
 * them, so a fake site, a copied answer or a thief's touch is tried for real.
 */

const test = pageTest({ knowsItsAddress: true });

interface Owner {
  network: MadeNetwork;
  authenticator: Authenticator;
}

interface Authenticator {
  devTools: CDPSession;
  id: string;
}

/** An administrator on the page of passkeys, with an authenticator in the browser. */
async function anOwner(): Promise<Owner> {
  const network = await makeNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
  await openPage({ visitor: await signedIn(app, "admin", network) });
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await page.goto(`${address}/account/security`);
  return { network, authenticator: { devTools, id: authenticatorId } };
}

async function addPasskey(name: string): Promise<void> {
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByText(`You can now sign in with ${name}.`).waitFor();
}

/** What a page at this address gets from the authenticator for these options; null for nothing. */
async function proofAt(origin: string, options: unknown): Promise<unknown> {
  await page.goto(origin);
  return await page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      json as PublicKeyCredentialRequestOptionsJSON, // it comes from the server
    );
    const proof = await navigator.credentials.get({ publicKey }).catch(() => null);
    return proof instanceof PublicKeyCredential ? proof.toJSON() : null;
  }, options);
}

test("a passkey is added, signs in, confirms its owner again, and is removed", async () => {
  const { network } = await anOwner();
  await addPasskey("Dana's laptop");
  expect(await barriersOf(page)).toEqual([]);

  await page.goto(`${address}/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Today" }).waitFor();

  await page.goto(`${address}/account/security`);
  await sql`update sessions set confirmed_at = now() - interval '11 minutes'
    where user_id = ${network.admin.userId}`.execute(app.db);
  await page.getByRole("button", { name: "Remove Dana's laptop" }).click();
  const asking = page.getByRole("dialog", { name: "Confirm that this is you" });
  await asking.getByRole("button", { name: "Use a passkey instead" }).click();
  await page.getByText("Dana's laptop was removed.").waitFor();
  await page.getByText("You have no passkeys yet").waitFor();
  expect(watched.alerts).toEqual([
    "Remove Dana's laptop? You will not be able to sign in with it. Also delete it on the device that stores it.",
  ]);

  const admin = await signedIn(app, "admin", network);
  const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
  expect(items.map(({ action }) => action)).toEqual([
    "removed a passkey",
    "signed in",
    "signed out",
    "added a passkey",
  ]);
});

test("a password is not enough to sign in once there is a passkey", async () => {
  const { network } = await anOwner();
  await addPasskey("A phone");
  const visitor = aVisitor(app);
  const { email } = network.admin;
  await visitor.send("POST", "/api/auth/sign-in/email", { email, password: testPassword });
  expect((await visitor.call(showSession)).user).toBeNull();
});

test("a passkey's signature is good once, only for our own address, and only with its holder's touch", async () => {
  const { network, authenticator } = await anOwner();
  await addPasskey("A phone");
  const visitor = aVisitor(app);
  const options = async () => await visitor.call(startPasskeySignIn);
  const signIn = (response: unknown) => visitor.ask(signInByPasskey, { body: { response } });
  const refused = {
    status: 422,
    message: "This passkey was not accepted. Try again, or use your password.",
  };

  // Another site of the same host gets a signature from the browser, for its own address.
  const other = createServer((_, answer) =>
    answer.setHeader("content-type", "text/html").end("<p>"),
  );
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo; // it listens on a port
  const phished = await proofAt(`http://localhost:${port}/`, await options());
  expect(phished).not.toBeNull();
  expect(await signIn(phished)).toMatchObject(refused);

  // Someone who found the device and cannot unlock it.
  const { devTools, id: authenticatorId } = authenticator;
  const touch = { authenticatorId, isUserVerified: false };
  await devTools.send("WebAuthn.setUserVerified", touch);
  const found = await options();
  const unverified = await proofAt(`${address}/sign-in`, {
    ...found,
    userVerification: "discouraged",
  });
  expect(unverified).not.toBeNull();
  expect(await signIn(unverified)).toMatchObject(refused);
  await devTools.send("WebAuthn.setUserVerified", { ...touch, isUserVerified: true });

  const proof = await proofAt(`${address}/sign-in`, await options());
  expect((await signIn(proof)).status).toBe(200);
  expect((await visitor.call(showSession)).user).toMatchObject({ id: network.admin.userId });
  expect(await signIn(proof), "once more").toMatchObject(refused);

  // Removed in the meantime.
  const late = await proofAt(`${address}/sign-in`, await options());
  await app.db.deleteFrom("passkeys").where("userId", "=", network.admin.userId).execute();
  expect(await signIn(late)).toMatchObject(refused);
});

test("another person's passkey does not confirm who you are", async () => {
  const { authenticator } = await anOwner();
  await addPasskey("A phone");
  const other = await makeNetwork(app.db);
  const visitor = await signedIn(app, "admin", other);
  const options = await visitor.call(startPasskeySignIn);
  const proof = await proofAt(`${address}/sign-in`, options);
  expect(authenticator.id).not.toBe("");
  const path = "/account/confirmation/passkey";
  expect((await visitor.send("POST", path, { response: proof })).status).toBe(422);
  expect((await visitor.call(showSession)).user).toMatchObject({ id: other.admin.userId });
});

test("at another name of this machine no passkey is offered, and the page says where they work", async () => {
  const network = await makeNetwork(app.db);
  const other = address.replace("localhost", "127.0.0.1");
  await openPage({ visitor: aVisitor(app), address: other });
  await page.goto("/sign-in");
  await page.getByText(`Passkeys work only at ${address}.`).waitFor();
  expect(await page.getByRole("button", { name: "Use a passkey" }).count()).toBe(0);
  await openPage({
    visitor: await signedIn(app, "admin", network),
    address: other,
    mayComplain: true,
  });
  await page.goto("/account/security");
  await page.getByText(`Passkeys work only at ${address}.`).waitFor();
  expect(await page.getByRole("button", { name: "Add a passkey" }).count()).toBe(0);
});

test("where changes are refused for pages at another name, the page says where they work", async () => {
  const network = await makeNetwork(app.db);
  const visitor = await signedIn(app, "admin", network);
  const other = address.replace("localhost", "127.0.0.1");
  await openPage({ visitor, address: other, mayComplain: true });
  await page.clock.install();
  await page.goto("/account/security");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.clock.runFor(30_000);
  await page.getByText(`Updates may work only at ${address}.`).waitFor();
});

import { test } from "vitest";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * The base of most tests. A file declares what it needs, and imports it by name:
 *
 *   import { admin, app, appTest, network } from "#tests/support/app-test.ts";
 *   const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });
 *
 * These names always refer to the running test's own records, so a file's helpers need no arguments for them.
 */

/** The file's server, on a database of its own. */
export let app: RunningApp;
/** Each test's own network, and its administrator, signed in. */
export let network: MadeNetwork;
export let admin: Visitor;
/** Each test's attorney of that network, and the same person signed in. */
export let attorney: MadeAttorney;
export let lawyer: Visitor;

export type AppSettings = NonNullable<Parameters<typeof anApp>[0]>;

/** What each test gets; anything not named is not made. */
export interface People {
  network?: Parameters<typeof makeNetwork>[1];
  /** Needs a network. */
  attorney?: Parameters<typeof makeAttorney>[2];
  /** The attorney has an account and is signed in. */
  lawyer?: true;
}

/** `test` for a file whose tests share a server. Hooks that use it: `test.beforeAll`, any `beforeEach`. */
export function appTest(wanted: AppSettings & People = {}) {
  const { people, settings } = apart(wanted);
  return peopleTest(() => anApp(settings), people);
}

/** The same on a server that is opened in another way. */
export function peopleTest(open: () => Promise<RunningApp>, people: People) {
  return test
    .extend("app", { scope: "file", auto: true }, async ({}, { onCleanup }) => {
      const opened = await open();
      onCleanup(() => opened.close());
      return (app = opened);
    })
    .extend("people", { auto: true }, async ({ app: { db } }) => {
      if (people.network) {
        network = await makeNetwork(db, people.network);
        admin = await signedIn(app, "admin", network);
      }
      if (people.attorney) attorney = await makeAttorney(db, network, people.attorney);
      if (people.lawyer) lawyer = await signedIn(app, attorney, network);
      return { admin, lawyer };
    });
}

/** What is wanted, and the server's options. */
export function apart<Settings>(wanted: Settings & People) {
  const { network: ofNetwork, attorney: ofAttorney, lawyer: isSignedIn, ...settings } = wanted;
  return { people: { network: ofNetwork, attorney: ofAttorney, lawyer: isSignedIn }, settings };
}

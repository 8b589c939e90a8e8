import { test } from "vitest";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * What most tests stand on. A file says once what it needs, and imports it by name:
 *
 *   import { admin, app, appTest, network } from "#tests/support/app-test.ts";
 *   const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });
 *
 * These names always mean what the test that runs now was given; so the helpers of a file need no arguments for them.
 */

/** The server of the file, on a database of its own. */
export let app: RunningApp;
/** Of each test: a network of its own, and its administrator, signed in. */
export let network: MadeNetwork;
export let admin: Visitor;
/** Of each test: an attorney of that network, and the same person signed in. */
export let attorney: MadeAttorney;
export let lawyer: Visitor;

export type AppSettings = NonNullable<Parameters<typeof anApp>[0]>;

/** Who is there in each test; what is not named is not made. */
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

/** Who is wanted, and what the server is opened with. */
export function apart<Settings>(wanted: Settings & People) {
  const { network: ofNetwork, attorney: ofAttorney, lawyer: isSignedIn, ...settings } = wanted;
  return { people: { network: ofNetwork, attorney: ofAttorney, lawyer: isSignedIn }, settings };
}

import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { apart, type AppSettings, type People, peopleTest } from "#tests/support/app-test.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/** The card processors' sandboxes, which the file's server uses. */
export let sandboxes: Sandboxes;

/** `seed` is the sandboxes' own. */
export type CardSettings = AppSettings & { seed?: number };

/** `appTest` for files in which cards are charged. */
export function cardTest(wanted: CardSettings & People = {}) {
  const { people, settings } = apart(wanted);
  return peopleTest(() => anAppThatTakesCards(settings), people);
}

export async function anAppThatTakesCards({
  seed,
  ...settings
}: CardSettings): Promise<RunningApp> {
  sandboxes = await startSandboxes({ port: 0, seed });
  const app = await anApp({ ...settings, sandboxes: sandboxes.addresses });
  const close = async () => {
    await app.close();
    await sandboxes.close();
  };
  return { ...app, close };
}

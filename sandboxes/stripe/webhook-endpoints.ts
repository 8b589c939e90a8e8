import { listAt } from "../tree.ts";
import { type Asked, required } from "./asked.ts";
import { letters, newId, secondsNow } from "./books.ts";
import type { Herald } from "./events.ts";
import { noSuch } from "./refusals.ts";

/** POST /v1/webhook_endpoints. */
export function createEndpoint({ books }: Herald, asked: Asked): object {
  const url = required(asked, "url");
  const enabledEvents = listAt(asked.params, "enabled_events").map(String);
  const secret = `whsec_${letters(32)}`;
  const id = newId("we");
  books.endpoints.set(id, { id, account: asked.account, url, secret, enabledEvents });
  return { ...shownEndpoint(id, url, enabledEvents), created: secondsNow(books), secret };
}

export function listEndpoints({ books }: Herald, asked: Asked): object {
  const own = books.endpoints.values().filter(({ account: owner }) => owner === asked.account);
  const data = own.map(({ id, url, enabledEvents }) => shownEndpoint(id, url, enabledEvents));
  return { object: "list", data, has_more: false, url: "/v1/webhook_endpoints" };
}

export function deleteEndpoint({ books }: Herald, asked: Asked): object {
  const found = books.endpoints.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("webhook endpoint", asked.id);
  books.endpoints.delete(asked.id);
  return { id: asked.id, object: "webhook_endpoint", deleted: true };
}

/** The secret is shown once, when the endpoint is made. */
function shownEndpoint(id: string, url: string, enabledEvents: string[]) {
  const status = "enabled";
  return {
    id,
    object: "webhook_endpoint",
    enabled_events: enabledEvents,
    livemode: false,
    status,
    url,
  };
}

import type { Consumer } from "@rails/actioncable";
import { WebSocket } from "ws";

/*
 * The official client package in Node: it needs a few things of a browser, and takes its WebSocket from
 * `adapters`.
 */
Object.assign(globalThis, {
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  document: { visibilityState: "visible" },
});
const { adapters, createConsumer } = await import("@rails/actioncable");

/** The unmodified client of one page, with every socket it opened and everything it sent. */
export interface Client {
  consumer: Consumer;
  headers: Record<string, string>;
  sockets: WebSocket[];
  sent: string[];
}

const clients = new Map<string, Client>();

/** What browsers do: send the page's origin and cookies. */
class PageSocket extends WebSocket {
  readonly #client: Client | undefined;

  constructor(address: string, protocols: string[]) {
    const client = clients.get(address);
    super(address, protocols, { headers: client?.headers });
    client?.sockets.push(this);
    this.#client = client;
  }

  override send(text: string): void {
    this.#client?.sent.push(text);
    super.send(text);
  }
}
Object.assign(adapters, { WebSocket: PageSocket });

export function officialClient(cable: string, headers: Record<string, string>): Client {
  const address = `${cable}?client=${clients.size}`;
  const client = { consumer: createConsumer(address), headers, sockets: [], sent: [] };
  clients.set(address, client);
  return client;
}

/** Messages of a subscription, in order. */
export interface Told {
  events: string[];
  messages: unknown[];
}

export function subscribe(client: Client, params: { channel: string } & Record<string, unknown>) {
  const told: Told = { events: [], messages: [] };
  const subscription = client.consumer.subscriptions.create(params, {
    connected: () => void told.events.push("connected"),
    disconnected: () => void told.events.push("disconnected"),
    rejected: () => void told.events.push("rejected"),
    received: (message: unknown) => void told.messages.push(message),
  });
  return { told, subscription };
}

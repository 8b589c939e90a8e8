import { officialClient } from "#tests/support/official-client.ts";

/*
 * The official client in a process of its own, which can be suspended: it gets the cable's address, its
 * cookies and its subscriptions, and prints a line for each message.
 */
const [cable = "", origin = "", cookie = "", params = "{}"] = process.argv.slice(2);
const printJson = (what: unknown) => console.log(JSON.stringify(what));
officialClient(cable, { origin, cookie }).consumer.subscriptions.create(JSON.parse(params), {
  connected: () => printJson("connected"),
  received: printJson,
});

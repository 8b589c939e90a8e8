import { parseJson, textAt } from "../tree.ts";
import { missing } from "./refusals.ts";
import {
  type Caller,
  type LawPayEvent,
  shownTransaction,
  type Transaction,
  type Vault,
} from "./vault.ts";

/** GET /v1/transactions: by `qf=property:text`, dates and account; newest first unless asked otherwise. */
export function searchTransactions(
  vault: Vault,
  caller: Caller,
  wanted: URLSearchParams,
  listedUntil: number,
): object {
  const accountId = wanted.get("account_id");
  const found = vault.transactions
    .values()
    .filter((each) => isOwn(each, caller) && each.createdAt <= listedUntil)
    .filter((each) => accountId === null || each.accountId === accountId)
    .filter((each) => isWithin(each.createdAt, wanted))
    .filter((each) => wanted.getAll("qf").every((filter) => fits(vault, each, filter)));
  const sorted = wanted.get("order_by") === "created" ? found : found.toReversed();
  return page(sorted, wanted, (each) => shownTransaction(vault, each));
}

/** GET /v1/events: oldest first. */
export function listEvents(
  vault: Vault,
  caller: Caller,
  wanted: URLSearchParams,
  listedUntil: number,
): object {
  const found = vault.events
    .values()
    .filter((each) => isOwn(each, caller) && each.createdAt <= listedUntil)
    .filter((each) => isWithin(each.createdAt, wanted));
  return page(found, wanted, shownEvent);
}

export function showEvent(vault: Vault, caller: Caller, id: string): object {
  const found = vault.events.get(id);
  if (!found || !isOwn(found, caller)) throw missing("Event[id]");
  return shownEvent(found);
}

function shownEvent({ id, createdAt, type, shown }: LawPayEvent) {
  return { id, created: new Date(createdAt).toISOString(), type, data: shown };
}

function isOwn(each: Transaction | LawPayEvent, { merchant, mode }: Caller): boolean {
  return each.merchant === merchant && each.mode === mode;
}

function isWithin(createdAt: number, wanted: URLSearchParams): boolean {
  const [start, end] = [wanted.get("start_date"), wanted.get("end_date")];
  return (
    (start === null || createdAt >= Date.parse(start)) &&
    (end === null || createdAt <= Date.parse(end))
  );
}

/** `reference:P1` finds P1 and P10: the text is a beginning, so callers must compare for themselves. */
function fits(vault: Vault, transaction: Transaction, filter: string): boolean {
  const colon = filter.indexOf(":");
  const [name, text] = [filter.slice(0, colon), filter.slice(colon + 1)];
  const found =
    name === "reference"
      ? transaction.reference
      : textAt(treeOf(shownTransaction(vault, transaction)), ...name.split("."));
  return found?.toLowerCase().startsWith(text.toLowerCase()) ?? false;
}

const treeOf = (shown: object) => parseJson(JSON.stringify(shown));

function page<T>(all: T[], wanted: URLSearchParams, show: (each: T) => object): object {
  const number = Math.max(1, Number(wanted.get("page") ?? "1"));
  const size = Math.max(1, Number(wanted.get("page_size") ?? "20"));
  const results = all.slice((number - 1) * size, number * size).map(show);
  return { page: number, page_size: size, total_entries: all.length, results };
}

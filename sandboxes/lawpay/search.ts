import { parseJson, textAt } from "../json.ts";
import {
  type LawPayRequest,
  type LawPayStore,
  type Transaction,
  transactionJson,
} from "./store.ts";

/** GET /v1/transactions: by `qf=property:text`, date and account; newest first by default. */
export function searchTransactions(request: LawPayRequest): object {
  const { store, caller, query, listedUntil } = request;
  const accountId = query.get("account_id");
  const since = query.get("start_date");
  const found = store.transactions
    .values()
    .filter(({ merchant, mode }) => merchant === caller.merchant && mode === caller.mode)
    .filter(({ createdAt }) => createdAt <= listedUntil)
    .filter(({ createdAt }) => since === null || createdAt >= Date.parse(since))
    .filter((each) => accountId === null || each.accountId === accountId)
    .filter((each) => query.getAll("qf").every((filter) => matches(store, each, filter)));
  const sorted = query.get("order_by") === "created" ? found : found.toReversed();
  const page = Math.max(1, Number(query.get("page") ?? "1"));
  const size = Math.max(1, Number(query.get("page_size") ?? "20"));
  const shown = sorted.slice((page - 1) * size, page * size);
  const results = shown.map((each) => transactionJson(store, each));
  return { page, page_size: size, total_entries: found.length, results };
}

/** `reference:P1` finds P1 and P10: the text matches a beginning, so callers must compare the rest. */
function matches(store: LawPayStore, transaction: Transaction, filter: string): boolean {
  const colon = filter.indexOf(":");
  const [name, text] = [filter.slice(0, colon), filter.slice(colon + 1)];
  const json = parseJson(JSON.stringify(transactionJson(store, transaction)));
  const value = textAt(json, ...name.split("."));
  return value?.toLowerCase().startsWith(text.toLowerCase()) ?? false;
}

import { demoAccounts } from "../accounts.ts";
import type { CallName } from "../faults.ts";
import type { Tree } from "../tree.ts";
import {
  captureCharge,
  createCharge,
  createToken,
  refundCharge,
  transactionOf,
  voidTransaction,
} from "./charges.ts";
import { listEvents, searchTransactions, showEvent } from "./lookups.ts";
import { missing } from "./refusals.ts";
import { type Caller, shownToken, shownTransaction, type Vault } from "./vault.ts";

interface Asked {
  vault: Vault;
  caller: Caller;
  /** Named in the address. */
  id: string;
  body: Tree;
  query: URLSearchParams;
  listedUntil: number;
}

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  call: CallName;
  /** The public key is enough. */
  isPublic?: boolean;
  /** Answers 201, as some of the gateway's addresses do; the documentation promises 200. */
  isCreating?: boolean;
  run: (asked: Asked) => object;
}

/** What of the gateway this stand-in answers. */
export const endpoints: Endpoint[] = [
  { method: "GET", path: "/v1/merchant", call: "check", run: showMerchant },
  {
    method: "POST",
    path: "/v1/tokens",
    call: "tokenise",
    isPublic: true,
    run: ({ vault, caller, body }) => createToken(vault, caller.merchant, body),
  },
  { method: "GET", path: "/v1/tokens/:id", call: "lookup", isPublic: true, run: showToken },
  {
    method: "POST",
    path: "/v1/charges",
    call: "charge",
    isCreating: true,
    run: ({ vault, caller, body }) => createCharge(vault, caller, body),
  },
  {
    method: "POST",
    path: "/v1/charges/:id/capture",
    call: "charge",
    run: ({ vault, caller, id, body }) => captureCharge(vault, caller, id, body),
  },
  {
    method: "POST",
    path: "/v1/charges/:id/refund",
    call: "refund",
    isCreating: true,
    run: ({ vault, caller, id, body }) => refundCharge(vault, caller, id, body),
  },
  {
    method: "POST",
    path: "/v1/transactions/:id/void",
    call: "void",
    run: ({ vault, caller, id }) => voidTransaction(vault, caller, id),
  },
  { method: "GET", path: "/v1/charges/:id", call: "lookup", run: showTransaction },
  { method: "GET", path: "/v1/transactions/:id", call: "lookup", run: showTransaction },
  {
    method: "GET",
    path: "/v1/transactions",
    call: "lookup",
    run: ({ vault, caller, query, listedUntil }) =>
      searchTransactions(vault, caller, query, listedUntil),
  },
  {
    method: "GET",
    path: "/v1/events/:id",
    call: "lookup",
    run: ({ vault, caller, id }) => showEvent(vault, caller, id),
  },
  {
    method: "GET",
    path: "/v1/events",
    call: "lookup",
    run: ({ vault, caller, query, listedUntil }) => listEvents(vault, caller, query, listedUntil),
  },
];

/** Only the accounts of the key's mode are listed; the sandbox has none of type LIVE. */
function showMerchant({ caller }: Asked): object {
  const account = (id: string, name: string, more: object) => ({
    id,
    name,
    type: "TEST",
    status: "ACTIVE",
    currency: "USD",
    cvv_policy: "DISABLED",
    avs_policy: "DISABLED",
    required_payment_fields: "cvv",
    ...more,
  });
  const isHarbor = caller.merchant === demoAccounts.lawpay.publicKey;
  const merchantAccounts = [
    account(caller.accountId, "Operating", { primary: true, trust_account: false }),
    account(caller.trustAccountId, "Trust", { primary: false, trust_account: true }),
  ];
  return {
    id: isHarbor ? "harborMerchant00000001" : "lakesideMerchant000001",
    name: isHarbor ? "Harbor County LRS" : "Lakeside Bar LRS",
    merchant_accounts: caller.mode === "TEST" ? merchantAccounts : [],
    ach_accounts: [],
  };
}

function showToken({ vault, caller, id }: Asked): object {
  const found = vault.tokens.get(id);
  if (found?.merchant !== caller.merchant) throw missing("Token[id]");
  return shownToken(found);
}

function showTransaction({ vault, caller, id }: Asked): object {
  return shownTransaction(vault, transactionOf(vault, caller, id));
}

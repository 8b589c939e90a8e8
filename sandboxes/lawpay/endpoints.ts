import { demoAccounts } from "../accounts.ts";
import type { CallName } from "../faults.ts";
import type { Json } from "../json.ts";
import {
  createCharge,
  createToken,
  findTransaction,
  refundCharge,
  voidTransaction,
} from "./charges.ts";
import { searchTransactions } from "./search.ts";
import { type Caller, type LawPayStore, transactionJson } from "./store.ts";

interface LawPayRequest {
  store: LawPayStore;
  caller: Caller;
  /** Named in the address. */
  id: string;
  body: Json;
  query: URLSearchParams;
  listedUntil: number;
}

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  call: CallName;
  /** The public key is enough. */
  isPublic?: boolean;
  /** Some of the gateway's addresses answer 201; the documentation promises 200. */
  status?: 201;
  run: (request: LawPayRequest) => object;
}

/** What of the gateway this stand-in answers: the calls that the product and its page make. */
export const endpoints: Endpoint[] = [
  { method: "GET", path: "/v1/merchant", call: "check", run: showMerchant },
  {
    method: "POST",
    path: "/v1/tokens",
    call: "tokenise",
    isPublic: true,
    run: ({ store, caller, body }) => createToken(store, caller, body),
  },
  {
    method: "POST",
    path: "/v1/charges",
    call: "charge",
    status: 201,
    run: ({ store, caller, body }) => createCharge(store, caller, body),
  },
  {
    method: "POST",
    path: "/v1/charges/:id/refund",
    call: "refund",
    status: 201,
    run: ({ store, caller, id, body }) => refundCharge(store, caller, id, body),
  },
  {
    method: "POST",
    path: "/v1/transactions/:id/void",
    call: "void",
    run: ({ store, caller, id }) => voidTransaction(store, caller, id),
  },
  {
    method: "GET",
    path: "/v1/transactions/:id",
    call: "lookup",
    run: ({ store, caller, id }) => transactionJson(store, findTransaction(store, caller, id)),
  },
  {
    method: "GET",
    path: "/v1/transactions",
    call: "lookup",
    run: ({ store, caller, query, listedUntil }) =>
      searchTransactions(store, caller, query, listedUntil),
  },
];

/** Only the accounts of the key's mode are listed; the sandbox has none of type LIVE. */
function showMerchant({ caller }: LawPayRequest): object {
  const account = (id: string, name: string, isTrust: boolean) => ({
    id,
    name,
    type: "TEST",
    status: "ACTIVE",
    currency: "USD",
    cvv_policy: "DISABLED",
    avs_policy: "DISABLED",
    required_payment_fields: "cvv",
    primary: !isTrust,
    trust_account: isTrust,
  });
  const isHarbor = caller.merchant === demoAccounts.lawpay.publicKey;
  const accounts = [
    account(caller.accountId, "Operating", false),
    account(caller.trustAccountId, "Trust", true),
  ];
  return {
    id: isHarbor ? "harborMerchant00000001" : "lakesideMerchant000001",
    name: isHarbor ? "Harbor County LRS" : "Lakeside Bar LRS",
    merchant_accounts: caller.mode === "TEST" ? accounts : [],
    ach_accounts: [],
  };
}

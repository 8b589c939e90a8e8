import { demoAccounts } from "../accounts.ts";
import type { CallName } from "../faults.ts";
import {
  createCharge,
  createToken,
  refundCharge,
  showTransaction,
  voidTransaction,
} from "./charges.ts";
import { searchTransactions } from "./search.ts";
import type { LawPayRequest } from "./store.ts";

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  call: CallName;
  /** The public key is enough. */
  isPublic?: boolean;
  /** Some of the gateway's addresses answer 201; the documentation says 200. */
  status?: 201;
  run: (request: LawPayRequest) => object;
}

/** The part of the gateway that this sandbox answers: the calls of the product and its page. */
export const endpoints: Endpoint[] = [
  { method: "GET", path: "/v1/merchant", call: "check", run: showMerchant },
  { method: "POST", path: "/v1/tokens", call: "tokenise", isPublic: true, run: createToken },
  { method: "POST", path: "/v1/charges", call: "charge", status: 201, run: createCharge },
  {
    method: "POST",
    path: "/v1/charges/:id/refund",
    call: "refund",
    status: 201,
    run: refundCharge,
  },
  { method: "POST", path: "/v1/transactions/:id/void", call: "void", run: voidTransaction },
  { method: "GET", path: "/v1/transactions/:id", call: "lookup", run: showTransaction },
  { method: "GET", path: "/v1/transactions", call: "lookup", run: searchTransactions },
];

/** Lists only the accounts of the key's mode; the sandbox has none of type LIVE. */
function showMerchant({ caller }: LawPayRequest): object {
  const account = (id: string, name: string, isTrust: boolean) => ({
    id,
    name,
    type: "TEST",
    status: "ACTIVE",
    currency: "USD",
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

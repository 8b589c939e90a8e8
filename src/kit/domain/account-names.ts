import { processorLabels } from "#kit/domain/processors.ts";

/**
 * Default names of the journal's accounts. A network may choose its own, stored under the same keys in
 * `networks.account_names`. Dues, bank and card clearing are followed by a plan, bank or processor:
 * "Dues income: Panel dues". Source: domain rules §10.
 */
export const defaultAccountNames = {
  accounts_receivable: "Accounts receivable",
  dues_income: "Dues income",
  other_income: "Other income",
  undeposited_checks: "Undeposited checks",
  bank: "Bank",
  card_clearing: "Card clearing",
  attorneys_credit: "Attorneys' credit",
  held: "Held for payers",
  adjustments: "Adjustments",
} as const;

/** Keys by the kind of account in entries, where the two differ. */
export const keysOfKinds: Record<string, keyof typeof defaultAccountNames> = {
  receivable: "accounts_receivable",
  credit: "attorneys_credit",
  undeposited: "undeposited_checks",
  clearing: "card_clearing",
};

const processors: Partial<Record<string, string>> = processorLabels;

/** The default name of an account as stored in entries: "Card clearing: Stripe" for "clearing:stripe". */
export function usualAccountName(account: string): string {
  const [kind = "", ...rest] = account.split(":");
  const key = keysOfKinds[kind] ?? kind;
  const name = (defaultAccountNames as Partial<Record<string, string>>)[key] ?? kind;
  const detail = rest.join(":");
  // Older unapplied payments have an account such as "stripe (unapplied)".
  const shown =
    key === "card_clearing" ? detail.replace(/^\S+/, (name) => processors[name] ?? name) : detail;
  return shown === "" ? name : `${name}: ${shown}`;
}

type AccountNames = Record<keyof typeof defaultAccountNames, string>;

/** A network's names of all accounts: its own, or the default. */
export function accountNamesOf(own: unknown): AccountNames {
  return { ...defaultAccountNames, ...(own as Partial<AccountNames>) }; // the contract allows no other keys
}

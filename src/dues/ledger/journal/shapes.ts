import { processorLabels } from "#kit/domain/processors.ts";

/**
 * The names that the journal's accounts begin with; a network may have its own of each, kept by the same
 * keys in `networks.account_names`. Dues, banks and card clearing are followed by a plan, a bank, a
 * processor: "Dues income: Panel dues". Source: domain rules §10.
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

/** Their keys by the kinds of accounts that entries name, where they differ. */
export const keysOfKinds: Record<string, keyof typeof defaultAccountNames> = {
  receivable: "accounts_receivable",
  credit: "attorneys_credit",
  undeposited: "undeposited_checks",
  clearing: "card_clearing",
};

const processors: Partial<Record<string, string>> = processorLabels;

/** An account as entries name it, "clearing:stripe", by the names that no network has chosen: "Card clearing: Stripe". */
export function usualAccountName(account: string): string {
  const [kind = "", ...rest] = account.split(":");
  const key = keysOfKinds[kind] ?? kind;
  const name = (defaultAccountNames as Partial<Record<string, string>>)[key] ?? kind;
  const detail = rest.join(":");
  // What was not applied once is apart: "stripe (unapplied)".
  const shown =
    key === "card_clearing" ? detail.replace(/^\S+/, (name) => processors[name] ?? name) : detail;
  return shown === "" ? name : `${name}: ${shown}`;
}

type AccountNames = Record<keyof typeof defaultAccountNames, string>;

/** A network's names of all accounts, of those that it has named itself. */
export function accountNamesOf(own: unknown): AccountNames {
  return { ...defaultAccountNames, ...(own as Partial<AccountNames>) }; // the contract lets no other in
}

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

type AccountNames = Record<keyof typeof defaultAccountNames, string>;

/** A network's names of all accounts, of those that it has named itself. */
export function accountNamesOf(own: unknown): AccountNames {
  return { ...defaultAccountNames, ...(own as Partial<AccountNames>) }; // the contract lets no other in
}

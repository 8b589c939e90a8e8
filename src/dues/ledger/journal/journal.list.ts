import { exactLine } from "#kit/contract/fields.ts";
import { usualAccountName } from "#kit/domain/account-names.ts";
import {
  day,
  days,
  defineList,
  type Filter,
  money,
  record,
  text,
  word,
} from "#kit/list/define-list.ts";

const Account = exactLine(300).optional();

/** An account as stored in entries, such as "bank:Operating", on either side. */
const account: Filter<typeof Account> = {
  schema: Account,
  field: { kind: "given", label: "Account", all: "All" },
  words: (chosen, name) => `of the account ${name ?? usualAccountName(chosen)}`,
};

/** All entries, newest first. The report has two lines per entry. Source: domain rules §10. */
export const journal = defineList({
  name: "journal",
  title: "Journal",
  thing: "entry",
  path: "/admin/journal",
  columns: {
    date: day("Date"),
    entry: word("Entry", { tooltip: "The same on both lines of an entry" }),
    account: word("Account", { tooltip: "The name from your settings" }),
    debit: money("Debit"),
    credit: money("Credit"),
    attorney: text("Attorney"),
    reference: text("Reference", {
      wideOnly: true,
      tooltip: "Check number, card transaction, debit or deposit",
    }),
    memo: text("Memo"),
    kind: word("Kind", { tooltip: "What happened, such as payment, refunded or charged back" }),
    on: day("Date", { screenOnly: true, sort: "day", sortsDown: true }),
    to: word("Account debited", { screenOnly: true }),
    from: word("Account credited", { screenOnly: true }),
    amount: money("Amount", { screenOnly: true, sort: "amount" }),
  },
  screen: {
    on: "Date",
    to: "Account debited",
    from: "Account credited",
    amount: "Amount",
    attorney: "Attorney",
    reference: "Reference",
    memo: "Memo",
  },
  filters: { ...days(), account, attorney_id: record("attorneys", "Attorney") },
  report: {
    type: "journal",
    label: "Journal",
    description:
      "Every movement of money as a double entry, by date. Debits equal credits in every entry.",
    dates: "range",
    timeModes: {},
    byAttorney: false,
  },
});

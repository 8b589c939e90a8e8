import { exactLine } from "#kit/contract/fields.ts";
import { usualAccountName } from "#dues/ledger/journal/shapes.ts";
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

/** An account as entries have it, "bank:Operating": either side of an entry. */
const account: Filter<typeof Account> = {
  schema: Account,
  field: { kind: "given", label: "Account", all: "All" },
  words: (chosen, name) => `of the account ${name ?? usualAccountName(chosen)}`,
};

/** Every movement of money, the newest first. Its report has two lines for each entry. Source: domain rules §10. */
export const journal = defineList({
  name: "journal",
  title: "Journal",
  thing: "entry",
  path: "/admin/journal",
  columns: {
    date: day("Date"),
    entry: word("Entry", { tooltip: "The same in both lines of one entry" }),
    account: word("Account", { tooltip: "By the network's own names" }),
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
      "Each movement of money as one double entry, by the day on which it counts: debits equal credits in every entry.",
    dates: "range",
    timeModes: {},
    byAttorney: false,
  },
});

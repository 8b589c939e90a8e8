import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { daysAfter, formatDay } from "#kit/domain/day.ts";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { CloseBooksDialog } from "./CloseBooksDialog.tsx";
import { ClosingHistory } from "./ClosingHistory.tsx";
import { type AccountTotals, type Books, type Entry, listJournal, showBooks } from "./contract.ts";
import { EntryDay } from "./EntryDay.tsx";
import { journal } from "./journal.list.ts";
import { ReopenBooksDialog } from "./ReopenBooksDialog.tsx";
import { TrialBalance } from "./TrialBalance.tsx";

/** All entries by period and account, and the closing of the books. Source: domain rules §10. */
export function JournalScreen() {
  const books = useQuery(endpointQuery(showBooks));
  const listed = useListed(journal, listJournal);
  const [done, setDone] = useState<string | null>(null);
  const accounts = listed.rows.data?.trialBalance ?? [];
  return (
    <>
      <ListScreen
        listed={listed}
        about={() => books.data && closedWords(books.data)}
        actions={books.data && <BooksButtons books={books.data} onDone={setDone} />}
        options={{ account: accounts.map(({ account, name }) => ({ id: account, name })) }}
        cells={cellsOf(accounts)}
        note={
          <>
            <Notice>{done}</Notice>
            {accounts.length > 0 && <TrialBalance accounts={accounts} filters={listed.filters} />}
          </>
        }
        empty={
          <EmptyState title="Nothing has been entered yet">
            Each charge, payment and deposit appears here as an entry from one account to another.
          </EmptyState>
        }
      />
      <ClosingHistory books={books} />
    </>
  );
}

const closedWords = ({ closedThrough }: Books) =>
  closedThrough === null
    ? "The books are open"
    : `The books are closed through ${formatDay(closedThrough)}`;

interface BooksButtonsProps {
  books: Books;
  onDone: (result: string | null) => void;
}

function BooksButtons({ books, onDone }: BooksButtonsProps) {
  const [open, setOpen] = useState<"close" | "reopen" | null>(null);
  const openDialog = (action: "close" | "reopen") => {
    onDone(null);
    setOpen(action);
  };
  const dialog = {
    onClose: () => setOpen(null),
    onDone: (result: string) => {
      setOpen(null);
      onDone(result);
    },
  };
  const { closedThrough, history } = books;
  const yesterday = daysAfter(useToday(), -1); // the last day that can be closed
  return (
    <Row>
      {closedThrough !== null && (
        <Button pending={false} onClick={() => openDialog("reopen")}>
          Reopen
        </Button>
      )}
      {(closedThrough === null || closedThrough < yesterday) && (
        <Button kind="primary" pending={false} onClick={() => openDialog("close")}>
          Close the books
        </Button>
      )}
      {open === "close" && <CloseBooksDialog closedThrough={closedThrough} {...dialog} />}
      {open === "reopen" && closedThrough !== null && (
        <ReopenBooksDialog closedThrough={closedThrough} history={history} {...dialog} />
      )}
    </Row>
  );
}

/** Shows accounts by the network's own names. */
function cellsOf(accounts: readonly AccountTotals[]): CellsOf<typeof journal, Entry> {
  const names = new Map(accounts.map(({ account, name }) => [account, name]));
  return {
    on: (entry) => <EntryDay entry={entry} />,
    to: ({ to }) => names.get(to) ?? to,
    from: ({ from }) => names.get(from) ?? from,
    attorney: ({ attorneyName }) => attorneyName,
  };
}

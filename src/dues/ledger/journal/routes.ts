import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import {
  closeBooksThrough,
  countOpenItems,
  reopenBooksAfter,
  readBooks,
} from "#dues/ledger/journal/books.ts";
import * as contract from "#dues/ledger/journal/contract.ts";
import { journalRows } from "#dues/ledger/journal/journal.rows.ts";

export function journalRoutes(app: FastifyInstance): void {
  serve(app, contract.listJournal, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, journalRows, { admin: actor, today }, query),
  );
  serve(app, contract.showBooks, { allow: "admin" }, ({ tx, actor }) => readBooks(tx, actor));
  serve(app, contract.previewClosing, { allow: "admin" }, ({ tx, actor, query }) =>
    countOpenItems(tx, actor, query.through),
  );
  serve(app, contract.closeBooks, { allow: "admin" }, ({ tx, actor, body }) =>
    closeBooksThrough(tx, actor, body),
  );
  serve(app, contract.reopenBooks, { allow: "admin" }, ({ tx, actor, body }) =>
    reopenBooksAfter(tx, actor, body),
  );
}

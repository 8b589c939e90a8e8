import { isMainThread, parentPort } from "node:worker_threads";
import { z } from "zod";
import type { ThreadAnswer } from "#kit/ops/threads.ts";
import { Statement } from "#dues/ledger/statements/contract.ts";
import { statementPdf } from "#dues/ledger/statements/statement-pdf.ts";

/*
 * A thread that draws statements: a module of its own, started by statement-drawing.ts. Not even the statement is
 * read where requests are answered: its text may have megabytes.
 */

/** First the pieces of the statement's JSON, in order; then what else it takes, which begins the drawing. */
export type ToDraw = { piece: string } | { logo: Uint8Array | null };

export interface DrawnStatement {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer>;
}

if (isMainThread || !parentPort) throw new Error("This file is for a thread.");
const port = parentPort;
let pieces: string[] = [];

port.on("message", (message: ToDraw) => {
  if ("piece" in message) {
    pieces.push(message.piece);
    return;
  }
  const text = pieces.join("");
  pieces = [];
  const answer = answerTo(text, message.logo);
  port.postMessage(answer, "answer" in answer ? [answer.answer.bytes.buffer] : []);
});

function answerTo(text: string, logo: Uint8Array | null): ThreadAnswer<DrawnStatement> {
  try {
    const statement = z.decode(Statement, JSON.parse(text));
    const bytes = statementPdf(statement, logo);
    return { answer: { fileName: fileNameOf(statement), bytes } };
  } catch (problem) {
    return { problem };
  }
}

/** Plain ASCII, as every program can save it. */
function fileNameOf({ attorneyName, from, to }: Statement): string {
  const whose = attorneyName
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 60);
  return `statement-${whose}-${from}-${to}.pdf`.replaceAll(/-+/g, "-");
}

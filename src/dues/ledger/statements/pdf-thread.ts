import { isMainThread, parentPort } from "node:worker_threads";
import { z } from "zod";
import type { ThreadAnswer } from "#kit/ops/threads.ts";
import { Statement } from "#dues/ledger/statements/contract.ts";
import { statementPdf } from "#dues/ledger/statements/statement-pdf.ts";

/*
 * The thread that draws statements, started by statement-drawing.ts. It also parses the statement, whose JSON may
 * be megabytes, so that requests are not held up.
 */

/** First the pieces of the statement's JSON, in order; then the logo, which starts the drawing. */
export type ToDraw = { piece: string } | { logo: Uint8Array | null };

export interface DrawnStatement {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer>;
}

if (isMainThread || !parentPort) throw new Error("Run this file as a worker thread.");
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

/** Plain ASCII, which every program can save. */
function fileNameOf({ attorneyName, from, to }: Statement): string {
  const name = attorneyName
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 60);
  return `statement-${name}-${from}-${to}.pdf`.replaceAll(/-+/g, "-");
}

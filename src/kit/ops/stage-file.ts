import { renameSync, writeFileSync } from "node:fs";

/**
 * Write a text beside `file`, flushed to disk and readable only by its owner. Answers a function that puts it in
 * place, so that the file is never half written.
 */
export function stageFile(file: string, text: string): () => void {
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, text, { mode: 0o600, flush: true });
  return () => renameSync(staged, file);
}

import { renameSync, writeFileSync } from "node:fs";

/**
 * Write a text beside `file`, flushed to disk and readable by its owner only. Answers what puts it in place:
 * at no moment is there half a file of that name.
 */
export function stageFile(file: string, text: string): () => void {
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, text, { mode: 0o600, flush: true });
  return () => renameSync(staged, file);
}

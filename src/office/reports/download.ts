import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { notifyNow } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import type { FileToSend } from "#kit/http/send-file.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { readPieces } from "#office/reports/file-pieces.ts";

/** The file of a ready, unexpired export, which then no longer needs a person. Throws 404 for others and other networks'. */
export async function exportFile(db: Db, admin: Admin, id: number): Promise<FileToSend> {
  const { networkId } = admin;
  const found = await db
    .selectFrom("dataExports")
    .select(["fileName", "fileBytes", "attempt", "finishedAt", "downloadedAt"])
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .where("status", "=", "ready")
    .where("removedAt", "is", null)
    .where("expiresAt", ">", sql<string>`now()`)
    .executeTakeFirst();
  if (!found?.fileName || !found.fileBytes || !found.finishedAt) throw notFound("report");
  if (found.downloadedAt === null) await noteDownload(db, networkId, id);
  const { attempt, fileName, fileBytes, finishedAt } = found;
  return {
    name: fileName,
    mediaType: "text/csv; charset=utf-8",
    version: `${id}-${attempt}`,
    bytes: fileBytes,
    madeAt: finishedAt,
    read: (range) => readPieces(db, { networkId, id, attempt }, range),
  };
}

async function noteDownload(db: Db, networkId: number, id: number): Promise<void> {
  await db
    .updateTable("dataExports")
    .set({ downloadedAt: sql<string>`now()` })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  notifyNow(db, { networkId, attorneyId: null, topic: "exports" });
}

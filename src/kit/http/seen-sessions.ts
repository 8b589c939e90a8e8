import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { writeSeen } from "#kit/http/session.ts";

const writeEveryMs = 1_000;

/** Sent automatically by the page while no one used it, so it does not keep the session open. */
export function isAutomatic(request: FastifyRequest): boolean {
  return request.headers["x-automatic"] === "1";
}

/**
 * Answers a function that notes that a session was seen. No request waits for the write: each second's sessions are
 * one statement. If the write fails, the session's next request notes it again.
 */
export function noteSeenSessions(app: FastifyInstance): (sessionId: number) => void {
  const noted = new Set<number>();
  const closing = new AbortController();
  let writing: Promise<void> | null = null;

  const write = async () => {
    while (noted.size > 0) {
      await pause(writeEveryMs, null, { ref: false, signal: closing.signal }).catch(() => null);
      const ids = [...noted];
      noted.clear();
      await writeSeen(app.db, ids).catch((problem: unknown) =>
        app.log.warn({ err: problem }, "could not write when sessions were last seen"),
      );
    }
    writing = null;
  };
  app.addHook("onClose", async () => {
    closing.abort();
    await writing;
  });
  return (sessionId) => {
    noted.add(sessionId);
    writing ??= write();
  };
}

import { Agent, get } from "node:http";
import type { Server } from "./process.ts";

export interface Asked {
  headers: Record<string, string>;
}

const agent = new Agent({ keepAlive: true });

/**
 * Make a GET and read the answer to its end without storing it. Resolves with its size in bytes and how it
 * begins.
 */
export async function ask(
  { port }: Pick<Server, "port">,
  path: string,
  { headers }: Asked,
): Promise<{ status: number; bytes: number; begin: string }> {
  return await new Promise((resolve, reject) => {
    const asked = get({ port, host: "127.0.0.1", path, agent, headers }, (answer) => {
      let bytes = 0;
      let begin = "";
      answer.on("data", (piece: Buffer) => {
        if (bytes === 0) begin = piece.toString("utf8", 0, 300);
        bytes += piece.length;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, bytes, begin }));
    });
    asked.on("error", reject);
  });
}

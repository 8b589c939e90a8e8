import type { Writable } from "node:stream";

export interface Progress {
  show: (doing: string, share?: number) => void;
  /** Clear the line. Nothing is printed after that. */
  end: () => void;
}

/**
 * Show what is being done once it has taken a second: on a terminal one line that is overwritten every second,
 * otherwise a line every ten seconds. Continues during a single long statement.
 */
export function showProgress(stream: Writable & { isTTY?: boolean }): Progress {
  const startedAt = performance.now();
  let doing: string | null = null;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (doing === null) return;
    const line = `${doing} (${Math.round((performance.now() - startedAt) / 1000)} s)`;
    if (stream.isTTY) stream.write(`\r\u001B[K${line}`);
    else if (ticks % 10 === 1) stream.write(`${line}\n`);
  }, 1000);
  timer.unref();
  return {
    show: (now, share) => {
      doing = share === undefined ? now : `${now}: ${Math.floor(share * 100)} %`;
    },
    end: () => {
      clearInterval(timer);
      if (stream.isTTY && ticks > 0 && doing !== null) stream.write("\r\u001B[K");
    },
  };
}

import { send } from "#web/send.tsx";

const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Whether our server answers, rather than nobody, or a proxy in its place. */
export async function isServerThere(): Promise<boolean> {
  try {
    return (await send("GET", "/session")).ok;
  } catch {
    return false; // no answer came
  }
}

/**
 * Call `onReturn` once the server answers, unless the answered function was called before. It is
 * asked after growing pauses, and at once when the browser says that there is a network: it says so
 * a little early at times.
 */
export function whenServerIsThere(onReturn: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = shortestPauseMs;
  const ask = async () => {
    clearTimeout(timer);
    const isThere = navigator.onLine && (await isServerThere());
    if (signal.aborted) return;
    if (isThere) return onReturn();
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  };
  const askAtOnce = () => {
    pauseMs = shortestPauseMs;
    void ask();
  };
  window.addEventListener("online", askAtOnce, { signal });
  askAtOnce();
  return () => {
    stopping.abort();
    clearTimeout(timer);
  };
}

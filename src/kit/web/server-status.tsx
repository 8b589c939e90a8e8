import { send } from "#kit/web/send.tsx";

const minPauseMs = 1_000;
const maxPauseMs = 30_000;

/** Whether our server answers, not a proxy in its place. */
export async function isServerReachable(): Promise<boolean> {
  try {
    return (await send("GET", "/session")).ok;
  } catch {
    return false; // no answer came
  }
}

/**
 * Call `onReturn` once the server answers, unless the returned function was called first. Polls with growing
 * pauses, and immediately when the browser reports a network, which may be a little early.
 */
export function whenServerReachable(onReturn: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = minPauseMs;
  const poll = async () => {
    clearTimeout(timer);
    const isReachable = navigator.onLine && (await isServerReachable());
    if (signal.aborted) return;
    if (isReachable) return onReturn();
    clearTimeout(timer);
    timer = setTimeout(() => void poll(), pauseMs);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  };
  const pollNow = () => {
    pauseMs = minPauseMs;
    void poll();
  };
  window.addEventListener("online", pollNow, { signal });
  pollNow();
  return () => {
    stopping.abort();
    clearTimeout(timer);
  };
}

import { hasPreloadedAnswers } from "#kit/web/preloaded-answers.tsx";
import { pageMeta } from "#kit/web/page-meta.tsx";
import { isSignInPage } from "#kit/web/sign-in-redirect.tsx";

let owner: string | null = null;

/**
 * The id of the user whose page this is, as the server wrote it into the document; "" if nobody's. Every call sends
 * it, and the server refuses the call if someone else is signed in.
 */
export function pageOwner(): string {
  return isSignInPage() ? "" : (owner ?? pageMeta("page-owner"));
}

/** For a page that was served while the server could not tell whose it is. */
export function setPageOwner(userId: number): void {
  owner = String(userId);
}

/** The address of a file or picture for a link on this page. Refused if someone else is signed in. */
export function ownAddress(path: string): string {
  if (pageOwner() === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}page_owner=${pageOwner()}`;
}

/** Lets this browser's pages tell each other who is signed in. */
let line: BroadcastChannel | null = null;
const openLine = () => (line ??= new BroadcastChannel("page-owner"));

/** Tell this browser's other pages whose page was just served. */
export function announceOwner(): void {
  if (hasPreloadedAnswers()) openLine().postMessage(pageMeta("page-owner"));
}

/** Call `onAnnounced` with the owner of each page that is opened. Answers how to stop. */
export function onOwnerAnnounced(onAnnounced: (other: unknown) => void): () => void {
  const stopping = new AbortController();
  openLine().addEventListener("message", ({ data }) => onAnnounced(data), {
    signal: stopping.signal,
  });
  return () => stopping.abort();
}

import { pageHasAnswers } from "#kit/web/page-answers.tsx";
import { pageMeta } from "#kit/web/page-meta.tsx";
import { isSignInPage } from "#kit/web/sign-in-redirect.tsx";

let owner: string | null = null;

/**
 * The id of the user whose page this is, as the server wrote it into the document; "" where it is nobody's. Every
 * call of the page says so, and the server refuses it once somebody else is signed in.
 */
export function pageOwner(): string {
  return isSignInPage() ? "" : (owner ?? pageMeta("page-owner"));
}

/** For a page that came while the server could not know whose it is. */
export function setPageOwner(userId: number): void {
  owner = String(userId);
}

/** The address of a file or a picture for a link of this page: refused once somebody else is signed in. */
export function ownAddress(path: string): string {
  if (pageOwner() === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}page_owner=${pageOwner()}`;
}

/** The pages of this browser tell each other who is signed in. */
let line: BroadcastChannel | null = null;
const openLine = () => (line ??= new BroadcastChannel("page-owner"));

/** Tell the other pages of this browser whose page the server has just made, or has made it anew. */
export function announceOwner(): void {
  if (pageHasAnswers()) openLine().postMessage(pageMeta("page-owner"));
}

/** Call `onAnnounced` with the owner of each page that is opened; until the answered function is called. */
export function onOwnerAnnounced(onAnnounced: (other: unknown) => void): () => void {
  const stopping = new AbortController();
  openLine().addEventListener("message", ({ data }) => onAnnounced(data), {
    signal: stopping.signal,
  });
  return () => stopping.abort();
}

/** If the page's code took longer to load, the answers are outdated: later changes are missing. */
const validForMs = 30_000;

let answers: Map<string, unknown> | null = null;
let openedAt = "";

/**
 * The answer that the server wrote into the page for a GET of its first screen. Usable once, until the page shows
 * another address or sends a change. Undefined if it must be fetched.
 */
export function takePreloadedAnswer(address: string): unknown {
  if (!answers) {
    const text = element()?.textContent || "{}";
    answers = new Map(Object.entries(JSON.parse(text)));
    openedAt = window.location.href;
  }
  const isPresent = window.location.href === openedAt && performance.now() < validForMs;
  if (!isPresent) answers.clear();
  const answer = answers.get(address);
  answers.delete(address);
  return answer;
}

/** Call after a change was sent, such as a sign-in: the answers in the page are outdated. */
export function discardPreloadedAnswers(): void {
  answers = new Map();
}

/** Whether the server knew the page's user: it writes answers into every page unless its database was unavailable. */
export function hasPreloadedAnswers(): boolean {
  return element() !== null;
}

function element(): Element | null {
  return document.querySelector("#answers");
}

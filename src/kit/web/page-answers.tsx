/** The answers are stale when the page's code took longer to load: changes since are not in them. */
const validForMs = 30_000;

let answers: Map<string, unknown> | null = null;
let openedAt = "";

/**
 * What the server wrote into the page as the answer to a GET that its first screen makes: usable once,
 * and only until the page shows another address or sends a change. Undefined where it must be fetched.
 */
export function takePageAnswer(address: string): unknown {
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

/** A change was sent, perhaps a sign-in: the answers in the page are outdated. */
export function forgetPageAnswers(): void {
  answers = new Map();
}

/** Whether the server knew the page's user: it writes answers into every page, unless its database was away. */
export function pageHasAnswers(): boolean {
  return element() !== null;
}

function element(): Element | null {
  return document.querySelector("#answers");
}

/** A page whose code took longer to come asks anew: it has not heard of changes meanwhile. */
const presentForMs = 30_000;

let answers: Map<string, unknown> | null = null;
let openedAt = "";

/**
 * What the server wrote into the page as the answer to a GET that its first screen makes: there once,
 * and only until the page shows another address or sends a change. Undefined where it has to be asked.
 */
export function takePageAnswer(address: string): unknown {
  if (!answers) {
    const text = element()?.textContent || "{}";
    answers = new Map(Object.entries(JSON.parse(text)));
    openedAt = window.location.href;
  }
  const isPresent = window.location.href === openedAt && performance.now() < presentForMs;
  if (!isPresent) answers.clear();
  const answer = answers.get(address);
  answers.delete(address);
  return answer;
}

/** Something changes, perhaps who is signed in: what the page was loaded with is of before. */
export function forgetPageAnswers(): void {
  answers = new Map();
}

/** Whether the server knew who asked for the page: it says so in every page, unless its database was away. */
export function pageTellsWhoAsks(): boolean {
  return element() !== null;
}

function element(): Element | null {
  return document.querySelector("#answers");
}

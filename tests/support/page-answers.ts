const script = /<script type="application\/json" id="answers">(.*?)<\/script>/s;

/** What a page's document brings beforehand: the answers to its first calls, by their address. */
export function answersIn(html: string): Record<string, { success: boolean; object: unknown }> {
  return JSON.parse(script.exec(html)?.[1] ?? "{}");
}

/**
 * The document of a page with no more than the session, as it comes when what its first screen asks is
 * refused or fails: the page asks for it by itself.
 */
export function withoutAnswers(html: string): string {
  const { "/session": session } = answersIn(html);
  const kept = JSON.stringify({ "/session": session }).replaceAll("<", "\\u003c");
  return html.replace(
    script,
    () => `<script type="application/json" id="answers">${kept}</script>`,
  );
}

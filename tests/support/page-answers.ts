const script = /<script type="application\/json" id="answers">(.*?)<\/script>/s;

/** The answers that a page's document includes for its first calls, by their address. */
export function answersIn(html: string): Record<string, { success: boolean; object: unknown }> {
  return JSON.parse(script.exec(html)?.[1] ?? "{}");
}

/**
 * The document of a page with only the session, as when the calls of its first screen are refused or fail:
 * the page makes them itself.
 */
export function withoutAnswers(html: string): string {
  const { "/session": session } = answersIn(html);
  const kept = JSON.stringify({ "/session": session }).replaceAll("<", "\\u003c");
  return html.replace(
    script,
    () => `<script type="application/json" id="answers">${kept}</script>`,
  );
}

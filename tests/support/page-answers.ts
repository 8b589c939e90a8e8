import type { Page } from "playwright-core";

const script = /<script type="application\/json" id="answers">(.*?)<\/script>/s;

/** What a page's document brings beforehand: the answers to its first calls, by their address. */
export function answersIn(html: string): Record<string, { success: boolean; object: unknown }> {
  return JSON.parse(script.exec(html)?.[1] ?? "{}");
}

/**
 * Have the documents of a page come with no more than the session, as they do when what their first
 * screen asks is refused or fails: the page asks for it by itself.
 */
export async function withoutAnswers(page: Page): Promise<void> {
  await page.route(
    () => true,
    async (route) => {
      if (route.request().resourceType() !== "document") return await route.fallback();
      const response = await route.fetch({ maxRedirects: 0 });
      const html = await response.text();
      const { "/session": session } = answersIn(html);
      const kept = JSON.stringify({ "/session": session }).replaceAll("<", "\\u003c");
      const body = html.replace(
        script,
        () => `<script type="application/json" id="answers">${kept}</script>`,
      );
      await route.fulfill({ response, body });
    },
  );
}

/**
 * Fetch the CSRF token of the browser's current session: the page holds that of the session with which it
 * was loaded. Answers whether the token is another one.
 */
export async function renewCsrfToken(): Promise<boolean> {
  const response = await fetch("/", { headers: { accept: "text/html" }, cache: "no-store" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [here, there] = [csrfMeta(document), csrfMeta(page)];
  if (!here || !there || here.content === there.content) return false;
  here.content = there.content;
  return true;
}

function csrfMeta(page: Document): HTMLMetaElement | null {
  return page.querySelector<HTMLMetaElement>('meta[name="csrf-token"]');
}

/** What the server wrote into the page, by the name of its meta tag; "" where it wrote nothing. */
export function pageMeta(name: "csrf-token" | "action-cable-url" | "page-owner"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** The nonce that the content security policy asks of style elements made in the browser. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

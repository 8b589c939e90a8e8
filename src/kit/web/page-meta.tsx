/**
 * Fetch the CSRF token of the browser's current session. The page holds the token of the session it was loaded
 * with. Answers whether the token is different.
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

type MetaName = "csrf-token" | "action-cable-url" | "mail-delivery" | "page-owner" | "public-url";

/**
 * The product's own address, if this page was opened at another one, such as 127.0.0.1 for localhost; otherwise
 * null. Passkeys and sockets only work at that address.
 */
export function addressElsewhere(): string | null {
  const url = pageMeta("public-url");
  return URL.canParse(url) && new URL(url).origin !== window.location.origin ? url : null;
}

/** What the server wrote into the page's meta tag of that name; "" if nothing. */
export function pageMeta(name: MetaName): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** The nonce that the content security policy requires for style elements made in the browser. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

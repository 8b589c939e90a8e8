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

type MetaName = "csrf-token" | "action-cable-url" | "mail-delivery" | "page-owner" | "public-url";

/**
 * The address at which all of the product works, where this page was opened by another one, such as 127.0.0.1 for
 * localhost: passkeys are made for one address, and sockets are opened from pages of it. Null at that address.
 */
export function addressElsewhere(): string | null {
  const url = pageMeta("public-url");
  return URL.canParse(url) && new URL(url).origin !== window.location.origin ? url : null;
}

/** What the server wrote into the page, by the name of its meta tag; "" where it wrote nothing. */
export function pageMeta(name: MetaName): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** The nonce that the content security policy asks of style elements made in the browser. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

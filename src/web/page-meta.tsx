/** What the server wrote into the page, by the name of its meta tag; "" where it wrote nothing. */
export function pageMeta(name: "csrf-token" | "action-cable-url"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** The nonce that the content security policy asks of style elements made in the browser. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

/**
 * The text of an email address without invisible characters: zero-width spaces, direction marks, a byte-order mark,
 * no-break spaces. They come along when an address is copied from an email or a page.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Default_Ignorable_Code_Point}\p{Zs}]/gu, (found) =>
    found === " " ? " " : "",
  );
}

const emailPattern =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d][a-z\d-]*\.)+(?:[a-z]{2,}|xn--[a-z\d-]+)$/i;

/**
 * Whether email can be sent to an address. Before the "@", everything that RFC 5321 allows without quotes: words of
 * letters, digits and !#$%&'*+-/=?^_`{|}~, with single dots between them. After it, a host name with a dot.
 */
export const isEmailAddress = (text: string): boolean => emailPattern.test(text);

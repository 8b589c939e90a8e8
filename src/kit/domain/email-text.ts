/**
 * Text that is to be an email address without what nobody sees and nobody means: zero-width spaces, direction marks, a
 * byte-order mark, no-break spaces. They come with an address that is copied out of a mail or a page.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Default_Ignorable_Code_Point}\p{Zs}]/gu, (found) =>
    found === " " ? " " : "",
  );
}

const emailPattern =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d][a-z\d-]*\.)+(?:[a-z]{2,}|xn--[a-z\d-]+)$/i;

/**
 * Whether mail can go to an address. Before the "@" it may have whatever RFC 5321 takes without quotes: words of letters,
 * digits and !#$%&'*+-/=?^_`{|}~, with single dots between them. After it, a host's name with a dot.
 */
export const isEmailAddress = (text: string): boolean => emailPattern.test(text);

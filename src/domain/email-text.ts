/**
 * Text that is to be an email address without what nobody sees and nobody means: zero-width spaces, direction marks, a
 * byte-order mark, no-break spaces. They come with an address that is copied out of a mail or a page.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Default_Ignorable_Code_Point}\p{Zs}]/gu, (found) =>
    found === " " ? " " : "",
  );
}

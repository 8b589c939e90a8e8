/** Zero-width characters, direction marks and soft hyphens, which come with copied text. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/**
 * A text as it is stored: composed letters (NFC), one plain space for each run of spaces of any kind, no invisible
 * characters. Line breaks and tabs stay.
 */
export const cleaned = (text: string): string =>
  text
    .replaceAll(invisible, "") // first, since one may be between a letter and its accent
    .normalize("NFC")
    .replaceAll(/\p{Zs}+/gu, " ");

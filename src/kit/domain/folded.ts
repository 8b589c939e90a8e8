const letters: Record<string, string> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ð: "d",
  ς: "σ",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  "&": " and ",
};

/**
 * Accents (NFKD separates them from their letters), invisible characters, and everything typed for an apostrophe or
 * a quotation mark.
 */
const dropped =
  /[\u0300-\u036f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff'"`\u00ab\u00bb\u02b9-\u02bf\u2018-\u201f\u2032\u2035\u055a]/g;

/** Blanks, commas and all dashes. */
const blanks = /[ \t\n\r\f\v\u0085\u1680\u2028\u2029,\u2010-\u2015\u2212-]+/g;

/**
 * A text for comparison in search, import and "the same client": lower case, without accents, apostrophes and
 * quotation marks, with a space for each dash, comma and run of blanks, and "and" for "&". The database's `folded`
 * does the same (rules/texts.sql).
 */
export function folded(text: string): string {
  return text
    .replaceAll(/[\u00b4\u1ffd]/g, "'") // NFKD turns acute accents into a space and an accent
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[øłđħŧıðςßæœþ&]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(dropped, "")
    .replaceAll(blanks, " ")
    .trim();
}

/*
 * A spreadsheet runs a cell that begins with = + - @, a tab or a line break as a formula. If it splits at
 * semicolons, a cell begins after each of them, and a row after each line break. An apostrophe in front keeps it
 * text. If the text already has apostrophes in front, it gets one more, so that removing one restores it.
 */

/** A text as reports write it. Same as the database function `spreadsheet_text` (rules/texts.sql). */
export const guarded = (text: string): string =>
  text.replace(
    /^(?='*[=+\-@\t\r\n])|(?<=;)(?='*"*[=+\-@\t\r\n])|(?<=[\r\n])(?='*"*[=+\-@\t])/g,
    "'",
  );

/** The text that `guarded` was given. */
export const unguarded = (text: string): string =>
  text.includes("'")
    ? text.replace(
        /^'(?='*[=+\-@\t\r\n])|(?<=;)'(?='*"*[=+\-@\t\r\n])|(?<=[\r\n])'(?='*"*[=+\-@\t])/g,
        "",
      )
    : text;

/*
 * A spreadsheet runs a cell that begins with = + - @, a tab or a line break as a formula. One that splits at semicolons
 * begins a cell behind each of them, and a row behind each line break. An apostrophe before it keeps it text. Where
 * such a text has apostrophes of its own before it, it gets one more, so that they are there again once it comes off.
 */

/** A text as reports write it. The same as the function `spreadsheet_text` of the database (rules/texts.sql). */
export const guarded = (text: string): string =>
  text.replace(
    /^(?='*[=+\-@\t\r\n])|(?<=;)(?='*"*[=+\-@\t\r\n])|(?<=[\r\n])(?='*"*[=+\-@\t])/g,
    "'",
  );

/** The text that `guarded` has made this of. */
export const unguarded = (text: string): string =>
  text.includes("'")
    ? text.replace(
        /^'(?='*[=+\-@\t\r\n])|(?<=;)'(?='*"*[=+\-@\t\r\n])|(?<=[\r\n])'(?='*"*[=+\-@\t])/g,
        "",
      )
    : text;

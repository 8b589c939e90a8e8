import * as fc from "fast-check";

/**
 * Any code point, for `fc.string({ unit })`: fast-check's own "binary" takes seconds before the first text.
 */
export const anyCodePoint = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800)); // no surrogate halves

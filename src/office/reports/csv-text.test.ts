import { expect, test } from "vitest";
import { rewriteLines } from "#office/reports/csv-text.ts";

test("reworded cells are quoted and guarded as the database does", () => {
  const piece = Buffer.from('1,"a;b",one\r\n2,"say ""x""",two\r\n3,c,three\r\n');
  const words: Record<string, string> = {
    one: "first;=1+1",
    two: '-;"@x',
    three: "left\r\n\r\nword\n=1+1",
  };
  const written = rewriteLines(piece, (cell, column) => (column === 2 ? words[cell] : undefined));
  expect(written.toString()).toBe(
    `1,"a;b","first;'=1+1"\r\n2,"say ""x""","'-;'""@x"\r\n3,c,"left\r\n\r\nword\n'=1+1"\r\n`,
  );
});

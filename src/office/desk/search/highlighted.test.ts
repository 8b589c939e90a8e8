import { expect, test } from "vitest";
import { splitAtMatches } from "./Highlighted.tsx";

test.each([
  ["Quinn Hale", "hale", ["Quinn ", "Hale", ""]],
  ["Quinn Hale", "hale, quinn", ["", "Quinn", " ", "Hale", ""]],
  ["(617) 555-0142 · q@hale.example", "6175550142", ["(", "617) 555-0142", " · q@hale.example"]],
  ["(617) 555-0142", "+1 617 555-01", ["(", "617) 555-01", "42"]],
  ["Check 10442", "104", ["Check ", "104", "42"]],
  ["100% O'Neil", "100% o'n", ["", "100%", " ", "O'N", "eil"]],
  ["Pat O’Rourke", "o'rourke", ["Pat ", "O’Rourke", ""]],
  ["Æther Weiß", "weiss aether", ["", "Æther", " ", "Weiß", ""]],
  ["Kay & Moss", "kay and", ["", "Kay", " ", "&", " Moss"]],
  ["a.b", "( [ { . * 😀", ["a.b"]],
  ["Quinn Hale", "", ["Quinn Hale"]],
  ["Inés Muñoz", "munoz ines", ["", "Inés", " ", "Muñoz", ""]],
  ["Ine\u0301s Mun\u0303oz", "Muñoz", ["Ine\u0301s ", "Mun\u0303oz", ""]],
  ["Siobhan O'Rourke, client", "O’Rourke", ["Siobhan ", "O'Rourke", ", client"]],
  ["Tom Lowe–Hart", "lowe-hart", ["Tom ", "Lowe–Hart", ""]],
  ["Núñez & Kay LLP", "nunez and kay", ["", "Núñez", " ", "&", " ", "Kay", " LLP"]],
  ["Weiß & Söhne", "weiss", ["", "Weiß", " & Söhne"]],
  ["Weiß", "s", ["Wei", "ß", ""]],
  ["Weißa", "s sa", ["Wei", "ß", "", "a", ""]],
])("in %j, %j is marked", (text, typed, parts) => {
  expect(splitAtMatches(text, typed)).toEqual(parts);
});

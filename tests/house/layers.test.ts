import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const theme = "src/kit/web/theme.css";
const read = (file: string) => readFileSync(join(root, file), "utf8");
const styles = globSync("src/**/*.css", { cwd: root });

test("z-index values come only from the theme's scale of layers", () => {
  const layers = [...read(theme).matchAll(/(--layer-[\w-]+):\s*(\d+);/g)];
  expect(layers.length).toBeGreaterThan(2);
  const heights = layers.map(([, , height]) => Number(height));
  expect(heights).toEqual([...new Set(heights)].toSorted((one, other) => one - other));

  const allowed = new Set(layers.map(([, name]) => `var(${name})`));
  const used = styles.flatMap((file) =>
    [...read(file).matchAll(/z-index:\s*([^;]+);/g)].map(([, value = ""]) => ({ file, value })),
  );
  expect(used.length).toBeGreaterThan(2);
  expect(used.filter(({ value }) => !allowed.has(value))).toEqual([]);
  const screens = globSync("src/**/*.tsx", { cwd: root });
  expect(screens.filter((file) => /\bzIndex\b/.test(read(file)))).toEqual([]);
  const unused = [...allowed].filter((name) => !used.some(({ value }) => value === name));
  expect(unused).toEqual([]);
});

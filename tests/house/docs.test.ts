import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { screens } from "#main/screens.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The headings of a page as links name them: lower case, a dash for a space, no punctuation. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Decisions and the changelog describe the past: files they name may be gone. */
const pages = ["README.md", ...globSync("docs/*.md", { cwd: root }), "sandboxes/README.md"];

describe.each(pages)("%s", (page) => {
  const text = read(page);

  test("names only files that exist", () => {
    const named = [
      ...text.matchAll(
        /(?<![\w/.-])((?:src|tests|sandboxes|migrations|scripts|deploy|docs)\/[\w./@-]*\w)/g,
      ),
    ].map(([, path = ""]) => path);
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) =>
      join(dirname(page), path),
    );
    expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("links only to headings that exist", () => {
    const linked = [...text.matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)];
    const missing = linked.filter(([, path = "", heading = ""]) => {
      const target = path === "" ? page : join(dirname(page), path);
      return !headingsOf(read(target)).includes(heading);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test("names only commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe("docs/api.md", () => {
  let app: RunningApp;
  beforeAll(async () => void (app = await anApp()));
  afterAll(() => app.close());

  const rows = [
    ...read("docs/api.md").matchAll(
      /^\| ((?:GET|POST|PATCH) \S+) \| (anyone|signed-in|admin|attorney) \| (.+) \|$/gm,
    ),
  ].map(([, call, who, does]) => `${call} · ${who} · ${does}`);

  test("has each call of the server, who may make it and what it does", () => {
    const served = app.server.endpoints.map(
      ({ endpoint, allow }) =>
        `${endpoint.method} ${endpoint.path} · ${allow} · ${endpoint.summary}`,
    );
    expect(rows.toSorted()).toEqual(served.toSorted());
  });

  test("has each screen's address", () => {
    const [, listed = ""] = read("docs/api.md").split("\n## Pages\n");
    const named = [...listed.matchAll(/`(\/[\w/:*-]+)`/g)].map(([, at]) => at);
    expect(screens.map(({ path }) => path).filter((path) => !named.includes(path))).toEqual([]);
  });
});

test("comments cite only sections of the domain rules that exist", () => {
  const sections = [...read("docs/domain.md").matchAll(/^## (\d+)\./gm)].map(
    ([, number]) => number,
  );
  const files = globSync("{src,tests,sandboxes,migrations}/**/*.{ts,tsx,sql}", { cwd: root });
  const pointed = files.flatMap((file) =>
    [...read(file).matchAll(/[Dd]omain rules §(\d+)/g)].map(([, number]) => ({ file, number })),
  );
  expect(pointed.length).toBeGreaterThan(30);
  expect(pointed.filter(({ number }) => !sections.includes(number))).toEqual([]);
});

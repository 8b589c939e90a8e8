import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";

const outDir = join(import.meta.dirname, "dist/web");

export default defineConfig({
  root: join(import.meta.dirname, "src/main"),
  publicDir: false,
  // The server puts the nonce of each answer in its place; the other placeholders stand in index.html.
  html: { cspNonce: "%NONCE%" },
  plugins: [react(), compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: "es2023",
    assetsInlineLimit: 0, // `data:` addresses are not in the content security policy
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler|react-router)\// },
            { name: "contract", test: /node_modules\/(zod|@tanstack)\// },
            // In this order: what one needs comes with it, unless another before it has it already.
            ...(["index", "card-form", "administration", "administration-forms"] as const).map(
              (name) => ({
                debugName: name,
                test: /\/src\//,
                name: (id: string, graph: Graph) => (chunkOf(id, graph) === name ? name : null),
              }),
            ),
          ],
        },
      },
    },
  },
});

/** Write `.br` and `.gz` beside each asset, so that the server compresses nothing itself. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    async writeBundle({ dir = outDir }) {
      const assets = join(dir, "assets");
      const names = (await readdir(assets)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(names.map((name) => compress(join(assets, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

type Graph = Parameters<Rolldown.CodeSplittingNameFunction>[1];

const attorneysScreens = /\/(Dashboard|OwnMatters|Receipt|Account|SignIn|SignInLink)Screen\.tsx$/;
/** What stands beside every screen of an administrator is no file of its own. */
const besideScreens = /\/PendingChecks\.tsx$/;
const heavy = /\/kit\/web\/ui\/SearchSelect\.tsx$|\/domain\/calendar\.ts$/;

/**
 * Which chunk a module of ours goes into; null leaves it with the one screen that needs it. A phone waits
 * for each file longer than for what is in it, so there are few: what several screens share comes
 * with the entry where an attorney's is among them, else in one chunk for administrators, or in another
 * where it needs fields to search in or the calendar's rules, which are heavy.
 */
function chunkOf(id: string, graph: Graph) {
  if (besideScreens.test(id)) return "administration";
  const loaders = [...reached(id, graph, "importers")].filter((module) => {
    const { isEntry = false, dynamicImporters = [] } = graph.getModuleInfo(module) ?? {};
    return isEntry || dynamicImporters.length > 0;
  });
  if (loaders.some((loader) => graph.getModuleInfo(loader)?.isEntry)) return "index";
  if (loaders.length < 2) return null;
  if (loaders.some((loader) => attorneysScreens.test(loader))) return "index";
  if (loaders.some((loader) => loader.includes("/cards/processors/"))) return "card-form";
  const needs = [...reached(id, graph, "importedIds")];
  return needs.some((module) => heavy.test(module)) ? "administration-forms" : "administration";
}

/** A module and all that import it, or that it imports, without waiting. */
function reached(id: string, graph: Graph, direction: "importers" | "importedIds"): Set<string> {
  const found = new Set([id]);
  for (const module of found)
    for (const next of graph.getModuleInfo(module)?.[direction] ?? []) found.add(next);
  return found;
}

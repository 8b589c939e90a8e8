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
  // The server replaces it with each answer's nonce. The other placeholders are in index.html.
  html: { cspNonce: "%NONCE%" },
  plugins: [react(), compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy does not allow `data:` addresses
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler|react-router)\// },
            { name: "contract", test: /node_modules\/(zod|@tanstack)\// },
            // In this order: each chunk includes what it needs, unless an earlier one has it.
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

/** Write `.br` and `.gz` beside each asset, so that the server does not have to compress. */
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
/** What is beside every administrator's screen gets no file of its own. */
const besideScreens = /\/PendingChecksBadge\.tsx$/;
const heavy = /\/kit\/web\/ui\/SearchSelect\.tsx$|\/domain\/calendar\.ts$/;

/**
 * Which chunk a module of ours goes into; null leaves it with the one screen that needs it. A phone waits longer
 * for each file than for its content, so there are few. Modules that several screens share go into the entry if one
 * of those is an attorney's. Otherwise they go into one chunk for administrators, or into another if they need the
 * heavy search fields or calendar rules.
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

/** A module and all that import it, or that it imports, directly or indirectly but not dynamically. */
function reached(id: string, graph: Graph, direction: "importers" | "importedIds"): Set<string> {
  const found = new Set([id]);
  for (const module of found)
    for (const next of graph.getModuleInfo(module)?.[direction] ?? []) found.add(next);
  return found;
}

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const outDir = join(import.meta.dirname, "dist/web");

export default defineConfig({
  root: join(import.meta.dirname, "src/web"),
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

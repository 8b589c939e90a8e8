import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/*
 * The server as `npm start` and deployments run it: a few files instead of a thousand modules, which takes a third
 * less memory and half the time to start (docs/decisions/021). Names and lines stay, so that stack traces can be
 * read.
 *
 * In the mode "image" the commands are built as well, and the demo is left out: its parts are missing when the
 * first one is loaded (src/main/demo-part.ts).
 */
const demo = /^#(main\/demo(-sandboxes)?\.ts$|main\/demo\/|sandboxes\/)/;

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [threads()],
  build: {
    ssr: true,
    outDir: join(import.meta.dirname, "dist/server"),
    emptyOutDir: true,
    target: "node24",
    minify: false,
    rolldownOptions: {
      input: {
        start: join(import.meta.dirname, "src/main/start.ts"),
        ...(mode === "image" && { cli: join(import.meta.dirname, "src/main/cli.ts") }),
      },
      output: {
        // A thread may start when another version has already been built.
        entryFileNames: ({ name }) => (name.endsWith("-thread") ? "[name]-[hash].js" : "[name].js"),
        chunkFileNames: "[name]-[hash].js", // beside the entry: as deep as src/main
        charset: "ascii", // a single “ or → doubles a file's memory
        comments: { jsdoc: false },
      },
      // The demo's card sandboxes serve files beside them.
      external: [mode === "image" ? demo : /^#sandboxes\//],
    },
  },
  ssr: {
    noExternal: true,
    // Loaded only where they are needed, in their own ways.
    external: ["better-auth", "pg-boss", "nodemailer", "stripe", "pg-native"],
  },
}));

/**
 * A thread's code is a separate file, which the sources name as Node expects: `new URL("./…-thread.ts",
 * import.meta.url)`.
 */
function threads(): Plugin {
  return {
    name: "threads",
    enforce: "pre", // otherwise addresses would be a site's
    resolveFileUrl: ({ relativePath }) => `new URL("${relativePath}", import.meta.url).href`,
    transform(code, id) {
      return code.replaceAll(
        /new URL\("(\.\/[\w-]+-thread\.ts)", import\.meta\.url\)/g,
        (_, file: string) => {
          const chunk = this.emitFile({ type: "chunk", id: join(dirname(id), file) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${chunk})`;
        },
      );
    },
  };
}

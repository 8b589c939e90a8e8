import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/*
 * The server as `npm start` and deployments run it: a few files instead of a thousand modules, which
 * takes a third less memory and half the time to start (docs/decisions/021). Names and lines stay, so
 * that a stack trace can be read.
 *
 * In the mode "image" the commands are built as well, and the demo is left out: what it consists of is
 * not there when its first part is asked for (src/main/demo-part.ts).
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
        // A thread is started at any time, perhaps when another version has been built already.
        entryFileNames: ({ name }) => (name.endsWith("-thread") ? "[name]-[hash].js" : "[name].js"),
        chunkFileNames: "[name]-[hash].js", // beside the entry: as deep as src/main is
        charset: "ascii", // a single “ or →, and a file takes twice its size of memory
        comments: { jsdoc: false },
      },
      // The demo's stand-ins for card processors serve files that lie beside them.
      external: [mode === "image" ? demo : /^#sandboxes\//],
    },
  },
  ssr: {
    noExternal: true,
    // Loaded only where they are needed, and by ways of their own.
    external: ["better-auth", "pg-boss", "nodemailer", "stripe", "pg-native"],
  },
}));

/**
 * What a thread runs is a file of its own, which the sources name as Node takes it:
 * `new URL("./…-thread.ts", import.meta.url)`.
 */
function threads(): Plugin {
  return {
    name: "threads",
    enforce: "pre", // else addresses would be those of a site
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

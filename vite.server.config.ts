import { join } from "node:path";
import { defineConfig } from "vite";

/*
 * The server as `npm start` and deployments run it: a few files instead of a thousand modules, which
 * takes a third less memory and half the time to start (docs/decisions/021). Names and lines stay, so
 * that a stack trace can be read.
 *
 * In the mode "image" the commands are built as well, and the demo is left out: what it consists of is
 * not there when its first part is asked for (src/main/demo-part.ts).
 */
const demo = /^#(main\/demo(-sandboxes)?\.ts$|features\/demo\/|sandboxes\/)/;

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  publicDir: false,
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
    external: ["better-auth", "pg-boss", "nodemailer", "pdfkit", "stripe", "pg-native"],
  },
}));

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** What Vite writes of each file that it has built, by the path of its source. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Manifest = z.output<typeof Manifest>;

/**
 * The tags by which a page names the scripts and styles of a screen, so that the browser asks for all of
 * them at once, not for each when the one before has come. A screen is named by its file below
 * src/features; what index.html names is left out. Without a manifest, in development, there are none.
 */
export function screenTags(folder: string): (file: string) => string {
  const address = `${folder}/.vite/manifest.json`;
  if (!existsSync(address)) return () => "";
  const manifest = Manifest.parse(JSON.parse(readFileSync(address, "utf8")));
  const named = filesOf(manifest, "index.html");
  return (file) => {
    const { scripts, styles } = filesOf(manifest, `../features/${file}`);
    const missing = (all: Set<string>, there: Set<string>) => [...all.difference(there)];
    return [
      ...missing(styles, named.styles).map((name) => tag("stylesheet", name)),
      ...missing(scripts, named.scripts).map((name) => tag("modulepreload", name)),
    ].join("\n    ");
  };
}

/** As Vite writes them, so that it finds what stands in the page already. */
const tag = (rel: "stylesheet" | "modulepreload", name: string) =>
  `<link rel="${rel}" crossorigin href="/${name}" nonce="%NONCE%">`;

/** A source's scripts and styles with those of all that it imports, what is imported first. */
function filesOf(manifest: Manifest, source: string) {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string) => {
    const built = manifest[name];
    if (!built) throw new Error(`The built web app holds no ${name}: build it anew.`);
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of built.imports) add(imported);
    for (const style of built.css) styles.add(style);
    scripts.add(built.file);
  };
  add(source);
  return { scripts, styles };
}

import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { z } from "zod";

/** Vite's manifest: the built files of each source file. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    name: z.string().optional(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Manifest = z.output<typeof Manifest>;

/**
 * The preload tags for a screen's scripts and styles, so that the browser requests them all at the same time.
 * `file` is the screen's file below src, `chunk` the name of a built chunk beside it. Files that index.html already
 * names are left out. In development there is no manifest, so no tags.
 */
export function screenTags(folder: string): (file: string, chunk?: string) => string {
  const manifestPath = `${folder}/.vite/manifest.json`;
  if (!existsSync(manifestPath)) return () => "";
  const manifest = Manifest.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
  const inIndexHtml = filesOf(manifest, ["index.html"]);
  const chunks = new Map(
    Object.entries(manifest).flatMap(([key, { name }]) => (name ? [[name, key]] : [])),
  );
  return (file, chunk) => {
    const beside = chunk === undefined ? [] : [chunks.get(chunk) ?? chunk];
    const { scripts, styles } = filesOf(manifest, [posix.relative("main", file), ...beside]);
    const missing = (all: Set<string>, there: Set<string>) => [...all.difference(there)];
    return [
      ...missing(styles, inIndexHtml.styles).map((name) => tag("stylesheet", name)),
      ...missing(scripts, inIndexHtml.scripts).map((name) => tag("modulepreload", name)),
    ].join("\n    ");
  };
}

/** Exactly as Vite writes them, so that its loader finds them in the page. */
const tag = (rel: "stylesheet" | "modulepreload", name: string) =>
  `<link rel="${rel}" crossorigin href="/${name}" nonce="%NONCE%">`;

/** The scripts and styles of source files and of all their imports, imports first. */
function filesOf(manifest: Manifest, sources: string[]) {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string) => {
    const built = manifest[name];
    if (!built) throw new Error(`The built web app has no ${name}. Build it again.`);
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of built.imports) add(imported);
    for (const style of built.css) styles.add(style);
    scripts.add(built.file);
  };
  for (const source of sources) add(source);
  return { scripts, styles };
}

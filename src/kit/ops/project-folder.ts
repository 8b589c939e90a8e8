import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder with package.json, migrations/ and rules/, found from the sources and from dist/server. */
export const projectFolder = folderAbove(import.meta.dirname);

function folderAbove(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("No package.json was found above the program.");
  return folderAbove(above);
}

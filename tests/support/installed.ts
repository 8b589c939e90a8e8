import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a program is installed, root's programs included; empty if it is not. */
export function installed(program: string): string[] {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  return folders
    .map((folder) => join(folder, program))
    .filter(isExecutable)
    .slice(0, 1);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Node's own recursion never ends where a folder is there and takes no other, as below
 * `/proc`: the system says "no such file" of what is to be made.
 * @throws the system's error; `ENOTDIR` where something else has the name
 */
export function makeFolder(path: string, mode: number = 0o777): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw Object.assign(new Error(`ENOTDIR: ${path} is no folder`), { code: "ENOTDIR", path });
  }
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A program the tests drive, under the names it goes by, and the Debian package that brings it. */
export type Program = { names: string[]; package: string };

/** Full path of the first of these names found on `PATH`. */
export function find(names: string[], path: string = process.env.PATH ?? ""): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find(isExecutable);
}

/**
 * Path of the program; its package is installed when it is missing and the system lets us.
 * @throws Error with one sentence that says what to install
 */
export function ensure(program: Program): string {
  const path = find(program.names) ?? (install(program.package) ? find(program.names) : undefined);
  if (path === undefined) {
    throw new Error(`The tests need ${program.names[0]}: install it (Debian: apt-get install ${program.package}).`);
  }
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs a Debian package as root, or through a sudo that asks for no password; says whether that worked. */
function install(name: string): boolean {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  if (find(["apt-get"]) === undefined || !(root || run(["sudo", "-n", "true"]))) return false;
  const apt = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
  return run([...apt, "update"]) && run([...apt, "install", "--yes", "--no-install-recommends", name]);
}

function run([command = "", ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

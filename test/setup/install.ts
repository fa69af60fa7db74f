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
 * Installs the packages of the programs that are missing, all in one go, where the system lets us.
 * @throws Error with one sentence that says what to install
 */
export function ensureAll(programs: Program[]): void {
  const missing = (): Program[] => programs.filter(({ names }) => find(names) === undefined);
  const wanted = missing();
  if (wanted.length > 0) install(wanted.map((program) => program.package));
  const left = missing();
  if (left.length === 0) return;
  const [names, packages] = [left.map((program) => program.names[0]), left.map((program) => program.package)];
  throw new Error(`The tests need ${names.join(", ")}: install it (Debian: apt-get install ${packages.join(" ")}).`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs Debian packages as root, or through a sudo that asks for no password. What did not work is still missing then. */
function install(packages: string[]): void {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  if (find(["apt-get"]) === undefined || !(root || run(["sudo", "-n", "true"]))) return;
  const apt = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
  run([...apt, "update"]);
  const get = (names: string[]): boolean => run([...apt, "install", "--yes", "--no-install-recommends", ...names]);
  // One that this system does not have must not keep the others away.
  if (!get(packages)) for (const name of packages) get([name]);
}

function run([command = "", ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

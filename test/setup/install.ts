import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A program that the tests drive. */
export type Program = {
  /** Names of the executable; the first one found is used. */
  names: string[];
  /** Debian package that contains it. */
  package: string;
  /** Installing the package would start a server, so it is only unpacked into a folder of the tests. */
  server?: true;
  /** Installed if possible; the tests also run without it. */
  optional?: true;
};

const UNPACKED = join(import.meta.dirname, "..", "..", ".cache", "programs");
const UNPACKED_PROGRAMS = ["bin", "sbin"].map((name) => join(UNPACKED, "usr", name));
/** Wait up to ten minutes while another process installs packages; by default, apt-get fails at once. */
const LOCK_TIMEOUT = "DPkg::Lock::Timeout=600";
/** Debian keeps the programs of each version of PostgreSQL in a folder of their own. */
const VERSIONS = "/usr/lib/postgresql";

/**
 * Folders to search for programs: `PATH`, the unpacked packages, and the folders of PostgreSQL's versions, newest
 * first.
 */
function searchPath(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(VERSIONS, version, "bin"));
  return [process.env.PATH, "/usr/sbin", ...UNPACKED_PROGRAMS, ...folders].join(delimiter);
}

/** Full path of the first of these names that is found. */
export function find(names: string[], path: string = searchPath()): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable);
}

/**
 * Installs the packages of missing programs, all at once, if the system allows it.
 * @throws Error with one sentence that says what to install
 */
export function ensureAll(programs: Program[]): void {
  const missing = (): Program[] => programs.filter(({ names }) => find(names) === undefined);
  const wanted = missing();
  const packages = (server: boolean): string[] =>
    wanted.filter((program) => Boolean(program.server) === server).map((program) => program.package);
  if (wanted.length > 0) install(packages(false));
  for (const name of packages(true)) unpack(name);
  const left = missing().filter(({ optional }) => !optional);
  if (left.length === 0) return;
  const [names, missed] = [left.map((program) => program.names[0]), left.map((program) => program.package)];
  throw new Error(`The tests need ${names.join(", ")}: install it (Debian: apt-get install ${missed.join(" ")}).`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs Debian packages as root, or through a sudo that asks for no password. Does not report failures: the caller
 * checks what is still missing.
 */
function install(packages: string[]): void {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  if (find(["apt-get"]) === undefined || !(root || run(["sudo", "-n", "true"]))) return;
  const apt = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", LOCK_TIMEOUT];
  run([...apt, "update"]);
  const get = (names: string[]): boolean => run([...apt, "install", "--yes", "--no-install-recommends", ...names]);
  // A package that this system lacks must not prevent the others.
  if (packages.length > 0 && !get(packages)) for (const name of packages) get([name]);
}

/** Downloads a Debian package and unpacks it, which needs no root rights. */
function unpack(name: string): void {
  mkdirSync(UNPACKED, { recursive: true });
  run(["apt-get", "-qq", "download", name], UNPACKED);
  for (const file of readdirSync(UNPACKED).filter((one) => one.startsWith(`${name}_`)))
    run(["dpkg-deb", "--extract", file, "."], UNPACKED);
}

function run([command = "", ...args]: string[], cwd?: string): boolean {
  return spawnSync(command, args, { stdio: "ignore", cwd }).status === 0;
}

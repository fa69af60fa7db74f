/** The programs, besides Node, that the tests use. */

import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureAll, find, type Program } from "./install.ts";

const CHROMIUM: Program = {
  names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  package: "chromium",
};
/**
 * The same Chromium without windows, for most tests: it needs less than half of the CPU time (measured on design.test.ts: 14 s
 * instead of 34 s). Systems that have no such package use the whole browser.
 */
const HEADLESS: Program = { names: ["chromium-headless-shell"], package: "chromium-headless-shell", optional: true };
const FIREFOX: Program = { names: ["firefox-esr", "firefox"], package: "firefox-esr" };
/** The package also contains MiniBrowser, the browser of the engine. */
const WEBKIT: Program = { names: ["WebKitWebDriver"], package: "webkit2gtk-driver" };
/** A virtual screen, because WebKit does not start without one. */
const SCREEN: Program = { names: ["Xvfb"], package: "xvfb" };
const NGINX: Program = { names: ["nginx"], package: "nginx", server: true };
const CADDY: Program = { names: ["caddy"], package: "caddy", server: true };
/** The folder of PostgreSQL's programs is not on the PATH of Debian. */
const POSTGRES: Program = { names: ["initdb"], package: "postgresql" };
const REDIS: Program = { names: ["valkey-server", "redis-server"], package: "redis-server" };
/** Only `npm run test:full` uses it. */
const PGBOUNCER: Program = { names: ["pgbouncer"], package: "pgbouncer" };
const STRACE: Program = { names: ["strace"], package: "strace" };

/** Builds container images, and Debian systems for them: used where they are installed. */
const BUILDAH: Program = { names: ["buildah"], package: "buildah" };
const DEBOOTSTRAP: Program = { names: ["debootstrap"], package: "debootstrap" };

/** Installs what is missing. Called once, before tests, fault suites, attacks or measurements begin. */
export function ensurePrograms(): void {
  const chromium = process.env.CHROMIUM === undefined ? [CHROMIUM, HEADLESS] : [];
  ensureAll([...chromium, FIREFOX, WEBKIT, SCREEN, NGINX, CADDY, STRACE, POSTGRES, REDIS]);
}

/** The browser of most tests: `CHROMIUM`, or the headless build, or the whole browser. */
export const browserPath = (): string => process.env.CHROMIUM ?? find(HEADLESS.names) ?? pathOf(CHROMIUM);

/**
 * The browser as visitors have it, for measurements, pictures, and what the headless build cannot do: `CHROMIUM`, or the first
 * one found.
 */
export const wholeBrowserPath = (): string => process.env.CHROMIUM ?? pathOf(CHROMIUM);

/** Firefox, the second browser engine of the tests. */
export const firefoxPath = (): string => pathOf(FIREFOX);

/** The WebDriver of WebKit, Safari's engine: the third browser engine of the tests. */
export const webkitDriverPath = (): string => pathOf(WEBKIT);

/** A virtual screen. */
export const screenPath = (): string => pathOf(SCREEN);

/** The proxy in front of the relay, in tests. */
export const nginxPath = (): string => pathOf(NGINX);

/** The web server that the files in relay/deploy use. */
export const caddyPath = (): string => pathOf(CADDY);

/** Path of a program of PostgreSQL, beside `initdb`. */
export const postgresPath = (program: string): string => join(dirname(realpathSync(pathOf(POSTGRES))), program);

/** The server of Redis or Valkey. */
export const redisPath = (): string => pathOf(REDIS);

/** The connection pooler; installed if it is missing. */
export function pgbouncerPath(): string {
  ensureAll([PGBOUNCER]);
  return pathOf(PGBOUNCER);
}

/** The tracer of system calls. */
export const tracerPath = (): string => pathOf(STRACE);

/** What this machine lacks to build the container image and to run it; empty when it lacks nothing. */
export function missingForImage(): string[] {
  const packages = [BUILDAH, DEBOOTSTRAP].filter(({ names }) => find(names) === undefined).map((it) => it.package);
  const mounts = spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0;
  return [...packages, ...(process.getuid?.() === 0 && mounts ? [] : ["the right to mount file systems"])];
}

/** Builds container images without a daemon; see `missingForImage`. */
export const buildahPath = (): string => pathOf(BUILDAH);

/** Makes a small Debian system for an image; see `missingForImage`. */
export const debootstrapPath = (): string => pathOf(DEBOOTSTRAP);

function pathOf({ names }: Program): string {
  const path = find(names);
  if (path === undefined) throw new Error(`No ${names[0]} found. \`npm test\` installs it.`);
  return path;
}

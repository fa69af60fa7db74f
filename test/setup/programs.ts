/** The programs that the tests drive besides Node. */

import { ensure, find, type Program } from "./install.ts";

const CHROMIUM: Program = {
  names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  package: "chromium",
};
const STRACE: Program = { names: ["strace"], package: "strace" };

/** Installs what is missing. Called once, before the tests run. */
export function ensurePrograms(): void {
  if (process.env.CHROMIUM === undefined) ensure(CHROMIUM);
  ensure(STRACE);
}

/** The browser: `CHROMIUM`, or the first one on `PATH`. */
export const browserPath = (): string => process.env.CHROMIUM ?? pathOf(CHROMIUM);

/** The tracer of system calls. */
export const tracerPath = (): string => pathOf(STRACE);

function pathOf({ names }: Program): string {
  const path = find(names);
  if (path === undefined) throw new Error(`No ${names[0]} found. \`npm test\` installs it.`);
  return path;
}

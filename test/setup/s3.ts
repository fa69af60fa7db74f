/** A real S3-compatible server, written independently of the relay's client: the npm package @20minutes/s3rver. */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bucket } from "../../relay/src/base/config.ts";

const PACKAGE = "@20minutes/s3rver";
const VERSION = "5.0.0";
const FOLDER = join(import.meta.dirname, "..", "..", ".cache", "programs", `s3rver-${VERSION}`);
/** The key that the server knows. */
const KEY = "S3RVER";
const BUCKET = "chat-files";

type Address = { port: number };
type S3Server = { run: () => Promise<Address>; close: () => Promise<void> };
type S3ServerClass = new (options: object) => S3Server;

/**
 * Loads the server. Installs it when it is missing, like the Debian packages: as a dependency it would add packages to the
 * relay's lockfile.
 * @throws Error with one sentence that says what to install
 */
async function loadServer(): Promise<S3ServerClass> {
  if (!existsSync(join(FOLDER, "node_modules", PACKAGE, "package.json"))) {
    const install = [
      "install",
      "--prefix",
      FOLDER,
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${PACKAGE}@${VERSION}`,
    ];
    mkdirSync(FOLDER, { recursive: true });
    await promisify(execFile)("npm", install).catch(() => {
      throw new Error(`The tests of the S3 store need a package; run: npm ${install.join(" ")}`);
    });
  }
  return createRequire(join(FOLDER, "package.json"))(PACKAGE) as S3ServerClass;
}

/** Longest time of `startS3`, in milliseconds: the first time in a clone, it installs a package. */
export const S3_START_MS = 600_000;

/** Starts a server with an empty bucket on a free port. */
export async function startS3(): Promise<{ bucket: Bucket; stop: () => Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "porchlight-s3-"));
  const Server = await loadServer();
  const server = new Server({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  return {
    bucket: {
      endpoint: `http://127.0.0.1:${port}`,
      region: "eu-test-1",
      bucket: BUCKET,
      prefix: "uploads/",
      keyId: KEY,
      secret: KEY,
    },
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

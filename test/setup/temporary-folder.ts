import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The mode of `/tmp`: PostgreSQL, nginx and apt run as other users, and put files there. */
const MODE = 0o1777;

/**
 * Gives this process and its children a temporary folder of their own, and removes it when this process exits: hundreds of
 * tests make data folders and kill the relays that use them.
 * @returns the folder
 */
export function useOwnTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  chmodSync(folder, MODE);
  process.env.TMPDIR = folder;
  // Children that end with this process may still write.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

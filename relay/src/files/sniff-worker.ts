/** The worker thread of `sniff`: detects the types of files from their first bytes, one after the other. */

import { parentPort } from "node:worker_threads";
import { fileTypeFromBuffer } from "file-type";
import type { SniffRequest, SniffResult } from "./sniff.ts";
import { soundType } from "./tracks.ts";

async function typeOf(head: Uint8Array): Promise<string | undefined> {
  return soundType((await fileTypeFromBuffer(head))?.mime, head);
}

parentPort?.on("message", async ({ id, head }: SniffRequest) => {
  // An error would end the thread, and the relay would refuse the other files that wait for it.
  const type = await typeOf(head).catch(() => undefined);
  parentPort?.postMessage({ id, type } satisfies SniffResult);
});

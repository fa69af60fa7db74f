/** The worker thread of `sniff`: detects the types of files from their first bytes, one after the other. */

import { parentPort } from "node:worker_threads";
import { fileTypeFromBuffer } from "file-type";
import type { SniffRequest, SniffResult } from "./sniff.ts";
import { soundType } from "./tracks.ts";

parentPort?.on("message", async ({ id, head }: SniffRequest) => {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const answer: SniffResult = { id, type: soundType(found?.mime, head) };
  parentPort?.postMessage(answer);
});

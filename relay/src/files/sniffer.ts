/** The worker of `sniff`: looks at the first bytes of files, one after the other, in a thread that may be ended. */

import { parentPort } from "node:worker_threads";
import { fileTypeFromBuffer } from "file-type";
import type { Answer, Question } from "./sniff.ts";

parentPort?.on("message", async ({ id, head }: Question) => {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const answer: Answer = { id, type: found?.mime };
  parentPort?.postMessage(answer);
});

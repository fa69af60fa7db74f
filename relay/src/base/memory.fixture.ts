import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of memory that are in use. */
export function bytesInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

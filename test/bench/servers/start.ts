/**
 * `node start.ts` with the relay's environment: starts the relay as `porchlight serve` does, sends its parent the
 * milliseconds until it listened, without loading the code, and stops it cleanly.
 */
import { readSettings } from "../../../relay/src/base/config.ts";
import { createRelay } from "../../../relay/src/relay.ts";

const read = readSettings(process.env);
if ("problems" in read) throw new Error(read.problems.join("\n"));
const begin = performance.now();
const relay = await createRelay(read.settings);
process.send?.({ startMs: performance.now() - begin });
await relay.stop();
process.exit(0);

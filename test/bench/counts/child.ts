/** Counts in a process where nothing else runs, and sends the counts to its parent. */
import { count } from "./scenario.ts";

const { counts } = await count();
process.send?.(counts, () => process.exit());

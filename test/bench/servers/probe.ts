/**
 * Preloaded (`--import`) into every measured server, the relay included. Reports CPU time and memory to its parent, and
 * records a CPU profile. Ends the process when the parent is gone.
 */
import { Session } from "node:inspector/promises";
import { summarize } from "../profile.ts";

/** The parent's requests. `settle` reports the usage after a garbage collection. */
export type Ask = "usage" | "settle" | "startProfile" | "endProfile";
/** CPU time of the process in microseconds, user and system, all threads; resident memory in bytes. */
export type Usage = { cpu: number; rss: number };

const session = new Session();

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, rss: process.memoryUsage.rss() };
}

async function startProfile(): Promise<null> {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
  return null;
}

const answers: Record<Ask, () => unknown> = {
  usage,
  settle() {
    (globalThis as { gc?: () => void }).gc?.();
    return usage();
  },
  startProfile,
  endProfile: async () => summarize((await session.post("Profiler.stop")).profile),
};

process.on("message", async (ask: Ask) => process.send?.({ answer: await answers[ask]() }));
process.on("disconnect", () => process.exit());
// The channel to the parent must not keep a stopped server alive.
process.channel?.unref();

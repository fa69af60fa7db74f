/**
 * Preloaded (`--import`) into every server that is measured, the relay's unchanged process among them: answers its parent
 * with CPU time and memory, and records a CPU profile. Ends the process when the parent is gone.
 */
import { Session } from "node:inspector/promises";
import { summarize } from "../profile.ts";

/** What a parent asks for. `settle` collects garbage first, so that the memory is what is kept. */
export type Ask = "usage" | "settle" | "profile" | "profiled";
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
  profile: startProfile,
  profiled: async () => summarize((await session.post("Profiler.stop")).profile),
};

process.on("message", async (ask: Ask) => process.send?.({ answer: await answers[ask]() }));
process.on("disconnect", () => process.exit());
// A parent's questions alone keep no server alive that has stopped.
process.channel?.unref();

import { startContender } from "./contender.ts";
import { saturate } from "./load.ts";

const VISITORS = 200;
const WARM_MS = 3_000;
const ROUND_MS = 8_000;
/** Functions that take fewer microseconds a trip are shown as one sum. */
const LEAST_US = 0.5;

/** Prints how many microseconds of the relay's main thread each function takes per round trip. The functions that it calls are not included. */
export async function printProfile(): Promise<void> {
  const contender = await startContender("relay", { visitors: VISITORS });
  const load = { bytes: 22, wanted: "reply" as const };
  await saturate(contender, { ms: WARM_MS, ...load });
  await contender.server.startProfile();
  const { perSecond = 0, cpu = 0, trips = 0 } = await saturate(contender, { ms: ROUND_MS, ...load });
  const functions = await contender.server.endProfile();
  await contender.stop();
  const functionTimes = functions.map(({ name, us }) => ({ name, us: us / trips }));
  const total = functionTimes.reduce((sum, { us }) => sum + us, 0);
  console.log(
    `${Math.round(perSecond)} round trips a second, ${Math.round(cpu)} µs of CPU each; the profiler slows the relay`,
  );
  console.log(
    `${total.toFixed(1).padStart(8)} µs a trip on the main thread, waiting for the disk included, by function:`,
  );
  for (const { name, us } of functionTimes.filter(({ us }) => us >= LEAST_US))
    console.log(us.toFixed(1).padStart(8), name);
  const rest = functionTimes.reduce((sum, { us }) => sum + (us < LEAST_US ? us : 0), 0);
  console.log(rest.toFixed(1).padStart(8), `(functions below ${LEAST_US} µs)`);
}

/** A simulated process's calls to the messaging service, checked for what a relay must never do. */

import type { Outcome } from "../../../relay/src/service/outcome.ts";
import type { Backend } from "./backend.ts";
import type { Core } from "./core.ts";
import { ACCOUNT } from "./member.ts";
import type { Sent, Service } from "./service.ts";
import { maybeStall, NEVER, type SimulatedProcess } from "./simulated-process.ts";

/** A process's calls: the key that it uses, and the visitors with a call under way. */
export type Calls = { process: SimulatedProcess; core: Core; service: Service; key: string; inFlight: Set<string> };

/** Violations of a call that begins now, among several nodes. */
function wrongCall({ process, core }: Calls, backend: Backend, { text }: Sent): string[] {
  const { world, name } = process;
  const holder = backend.heldElsewhere(core.accountLease(ACCOUNT), name);
  return [
    ...(holder === undefined ? [] : [`claim: ${name} sends "${text}", but ${holder} holds the lease`]),
    ...(world.now() >= backend.waitUntil
      ? []
      : [`pace: ${name} sends "${text}" before the end of the wait that the service stated`]),
  ];
}

/** Sends one message of a visitor at a time, because two could overtake each other. */
export async function sendMessage(calls: Calls, message: Sent): Promise<Outcome> {
  const { process, service, inFlight } = calls;
  const { backend, violations, suspension } = process;
  if (inFlight.has(message.fromId)) violations.push(`two in flight: "${message.text}" did not wait for its turn`);
  inFlight.add(message.fromId);
  if (backend !== undefined) violations.push(...wrongCall(calls, backend, message));
  const stalled = maybeStall(process);
  if (stalled !== undefined) await stalled;
  const outcome = await service.send(message, calls.key);
  if (suspension.isStopped()) await suspension.running();
  inFlight.delete(message.fromId);
  if (process.alive && backend !== undefined && outcome.kind === "throttle") noteWait(process, backend, outcome.waitMs);
  return process.alive ? outcome : NEVER;
}

/** Notes a stated wait when the process had time to store it: half a second in which it ran and the database worked. */
function noteWait(process: SimulatedProcess, backend: Backend, ms = 0): void {
  const { world, machine, suspension } = process;
  const until = world.now() + ms;
  let whole = !machine.full;
  for (let n = 1; n <= 5; n++)
    world.after(100 * n, () => (whole &&= process.alive && !suspension.isStopped() && !machine.full));
  world.after(501, () => {
    if (whole) backend.waitUntil = Math.max(backend.waitUntil, until);
  });
}

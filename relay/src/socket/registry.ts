import type { Delivery, Hello } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { createFairQueue, type FairQueue } from "../base/fair-queue.ts";
import type { Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import type { Sessions } from "../flows/session/session.ts";
import type { Connection, FrameHandler, Live } from "./connection.ts";
import { createPushes, type Pushes } from "./pushes.ts";
import { createSchedule, type Schedule } from "./schedule.ts";

/** What the connections work with. */
export type ConnectionsDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Opens the session of a `hello`. */
  open: Sessions["open"];
  /** Handles every frame after the `hello`. */
  handleFrame: FrameHandler;
  /** The link to a file, from its key and MIME type. */
  link: (key: string, type: string) => string;
  /** What visitors of a site are told about the delivery of their messages. */
  delivery: (account: string, site: string) => Delivery;
  /** Whether the site blocks this visitor or this address. */
  isBlocked?: (site: string, visitor: string, address: string) => boolean;
  /** Whether an address or a site opens more sessions than its budget allows. */
  exceedsBudget?: (hello: Hello, address: string) => boolean;
  random?: () => number;
};

/** All connections of this process, and what they share. */
export type Registry = {
  deps: Required<ConnectionsDeps>;
  all: Set<Connection>;
  /** Connections whose hello is awaited. */
  greeting: Set<Connection>;
  /** Size of the frames of all clients that are not handled yet, in UTF-16 units. */
  queuesSize: number;
  /** Clients that had unread bytes at their last measurement, and the sum of those bytes. */
  slow: Set<Live>;
  unread: number;
  heartbeats: Schedule<Live>;
  /** When replies were sent to tabs. */
  pushes: Pushes;
  /** Spreads handshakes, hellos and reads of threads over ticks of the event loop, fairly between addresses. */
  fairQueue: FairQueue;
  /** The relay is stopping: no `hello` is accepted any more. */
  closing: boolean;
  cancelSweep: () => void;
};

/**
 * Handshakes, hellos, reads of threads and pages of history that begin in one tick of the event loop: about four milliseconds
 * of work. Without a limit, 5,000 hellos in one instant delayed the message of an open chat by three seconds (RELIABILITY A28).
 */
const SLOTS_PER_TICK = 8;

/** Creates an empty registry. */
export function createRegistry(deps: ConnectionsDeps): Registry {
  const { isBlocked = () => false, exceedsBudget = () => false, random = Math.random } = deps;
  return {
    deps: { ...deps, isBlocked, exceedsBudget, random },
    all: new Set(),
    greeting: new Set(),
    queuesSize: 0,
    slow: new Set(),
    unread: 0,
    heartbeats: createSchedule(deps.clock, random),
    pushes: createPushes(),
    fairQueue: createFairQueue(SLOTS_PER_TICK),
    closing: false,
    cancelSweep: () => {},
  };
}

import type { Clock } from "../../../relay/src/base/clock.ts";
import type { Database, Value } from "../../../relay/src/db/database.ts";
import type { PaceSource } from "../../../relay/src/db/paces.ts";
import type { Backend, Member } from "./backend.ts";
import type { Core } from "./core.ts";

type MemberOptions = {
  core: Core;
  backend: Backend;
  member: Omit<Member, "receive">;
  db: Database;
  clock: Clock;
  /** Sends a statement to the database, as `guarded` of a relay does. */
  guarded: <T>(work: () => Promise<T>) => Promise<T>;
  /** Probability that a hint to another node is lost. */
  loss: () => number;
  onError: (error: unknown) => void;
};

/** The only account of the simulated world. */
export const ACCOUNT = "main";

/** Wires a relay to the other nodes, as `relay/src/wiring/cluster.ts` does. */
export function joinBackend({ core, backend, member, db, clock, guarded, loss, onError }: MemberOptions) {
  const { node } = member;
  const own = {
    all: <Row>(sql: string, ...values: Value[]) => guarded(() => backend.all<Row>(sql, values)),
  };
  const listeners: ((text: string) => void)[] = [];
  const self: Member = { ...member, receive: (text) => listeners.forEach((receive) => void receive(text)) };
  const link = {
    send: (text: string) => void (member.alive() && backend.send(self, text, loss())),
    onText: (listener: (text: string) => void) => void listeners.push(listener),
    close: async () => {},
  };
  const heads = (visitors: readonly string[]) => core.threadPositions(db, visitors);
  const refusals = async () => [];
  const rating = async () => undefined;
  const bus = core.createClusterBus({ local: core.createBus(), link, node, clock, heads, refusals, rating, onError });
  const leases = core.createLeases({ db: own, clock, node, names: [core.accountLease(ACCOUNT)], onError });
  return {
    bus,
    leases,
    async start(source: PaceSource): Promise<void> {
      const paces = core.createPaces({ db: own, clock, node, source, onError });
      leases.beforeAcquire(paces.resume);
      backend.join(self);
      bus.start();
      await leases.start();
      paces.start();
    },
  };
}

/** Simulates, second by second, the wave of clients that reconnect after a node or a load balancer failed. */

import { backoff } from "@porchlight/shared/backoff";
import { seededRandom } from "@porchlight/shared/seeded-random";

type Wave = { clients: number; peak: number; seconds: number };

type Options = {
  clients: number;
  /** Connects that all remaining nodes together accept in a second. Others are refused and try again. */
  perSecond: number;
  /** Milliseconds until a client's next try. `tries`: its tries so far. */
  delay: (tries: number, random: () => number) => number;
};

/** @returns the most tries in one second, and the seconds until everybody is back */
function simulate({ clients, perSecond, delay }: Options): Wave {
  const random = seededRandom(1);
  const due = new Map<number, number[]>();
  const add = (now: number, tries: number): void => {
    const second = now + Math.floor(delay(tries, random) / 1_000);
    const list = due.get(second) ?? [];
    due.set(second, list);
    list.push(tries);
  };
  for (let i = 0; i < clients; i++) add(0, 0);
  let [left, peak, second] = [clients, 0, 0];
  for (; left > 0; second++) {
    const arriving = due.get(second) ?? [];
    due.delete(second);
    peak = Math.max(peak, arriving.length);
    left -= Math.min(perSecond, arriving.length);
    // Refused clients try again in a later second.
    for (const tries of arriving.slice(perSecond)) add(second + 1, tries + 1);
  }
  return { clients, peak, seconds: second };
}

/** The wait of a client that was told to reconnect within `ms`. */
const announced = (ms: number) => (tries: number, random: () => number) =>
  tries === 0 ? random() * ms : unannounced(tries, random);

/** The widget's wait after a lost connection: at first up to 1 s, later up to 30 s (`widget/src/conversation/connection.ts`). */
const unannounced = (tries: number, random: () => number): number => backoff(tries + 1, 500, 30_000, random);

/**
 * Simulates the waves of relay/docs/guides/capacity.md.
 * @param perNode connects with resume that one node accepts in a second
 */
export function waves(perNode: number): (Wave & { what: string })[] {
  return [
    {
      what: "one of 10 nodes restarts, and tells clients to reconnect within 60 s",
      ...simulate({ clients: 10_000, perSecond: 9 * perNode, delay: announced(60_000) }),
    },
    {
      what: "one of 10 nodes is killed",
      ...simulate({ clients: 10_000, perSecond: 9 * perNode, delay: unannounced }),
    },
    {
      what: "the balancer of 10 nodes drops all connections",
      ...simulate({ clients: 100_000, perSecond: 10 * perNode, delay: unannounced }),
    },
    {
      what: "the balancers of 100 nodes drop all connections",
      ...simulate({ clients: 1_000_000, perSecond: 100 * perNode, delay: unannounced }),
    },
  ];
}

import { existsSync, statSync } from "node:fs";
import { CLOSE } from "@porchlight/shared/close";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import { type Common, type Report, seconds } from "./suite.ts";

type Options = Common & { visitors: number };

/**
 * Reconnects per second to aim for, and the bounds of the time over which they are spread (RELIABILITY 3f, WIDGET 9).
 */
const TARGET_RATE = 15;
const LEAST_SPREAD_MS = 2_000;
const LONGEST_SPREAD_MS = 60_000;

/**
 * S9: SIGTERM while messages are being sent to a slow service. They arrive, the relay tells every visitor when to reconnect,
 * closes the database cleanly, and exits with 0 within 30 s.
 */
export async function drain({ root, seed = 9, visitors }: Options): Promise<Report> {
  const begun = performance.now();
  const env = { SOCKETS_PER_ADDRESS: "0" };
  const testbed = await openTestbed({ seed, root, env, service: { delayMs: 1_000, replies: 0 } });
  const { mock, random } = testbed;
  const back: number[] = [];
  try {
    await testbed.start();
    let leaving = false;
    for (let v = 0; v < visitors; v++) {
      const [tab] = visit(testbed, `visitor${v}`, 1, {
        reconnectDelay: () => {
          const [min, max] = tab?.spread() ?? [0, 0];
          return leaving ? min + random() * (max - min) : 10 + random() * 40;
        },
        onConnected: () => leaving && back.push(performance.now()),
      });
    }
    await until(() => testbed.tabs.every((tab) => tab.head() >= 0 && tab.person.token !== undefined));
    // More messages than may be sent in parallel (64): the others still wait in the outbox and must not be sent any more.
    for (const tab of testbed.tabs) tab.type(`${tab.name} on its way`);
    await until(() => mock.calls.size >= Math.min(visitors, 40));
    leaving = true;
    const stoppedAt = performance.now();
    const ending = testbed.stop();
    const refused = await until(() => refusesNewClients(testbed));
    const ended = await ending;
    const tookMs = performance.now() - stoppedAt;
    const violations = [
      ...(ended?.code === 0 ? [] : [`exit: the relay ended with ${ended?.code ?? ended?.signal}`]),
      ...(tookMs <= 30_000 ? [] : [`exit: the relay took ${Math.round(tookMs)} ms`]),
      ...(refused ? [] : ["exit: the relay still accepted new connections"]),
      ...missingGoodbyes(testbed, visitors),
      ...(cleanlyClosed(testbed.database) ? [] : ["exit: the database was not closed cleanly"]),
    ];
    const landed = mock.effects.length;
    mock.behaviour.delayMs = 0;
    await testbed.start();
    const { violations: after } = await testbed.verdict({}, 120_000);
    const repeated = [...mock.calls.values()].filter((times) => times > 1).length;
    if (repeated > 0) violations.push(`repeated: the relay did not wait for the answers to ${repeated} messages`);
    return {
      violations: [...violations, ...after],
      figures: {
        connections: visitors,
        "landed before the end": landed,
        "sent again": repeated,
        "spread in seconds": Math.round((testbed.tabs[0]?.spread()?.[1] ?? 0) / 100) / 10,
        "back in one second at most": peak(back),
        "exit code": ended?.code ?? -1,
        "seconds to exit": Math.round(tookMs / 100) / 10,
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** Whether the relay accepts no new clients: it refuses connections, or `/readyz` answers 503. */
const refusesNewClients = (testbed: Testbed): Promise<boolean> =>
  fetch(`${testbed.url()}/readyz`, { headers: { Connection: "close" } }).then(
    ({ status }) => status === 503,
    () => true,
  );

/** The shortest time in which this number of visitors may come back, in ms. */
export const leastSpread = (visitors: number): number =>
  Math.min(LONGEST_SPREAD_MS, Math.max(LEAST_SPREAD_MS, Math.floor((visitors / TARGET_RATE) * 1_000)));

/**
 * Checks that every visitor was told that the relay restarts, and was given a long enough time span to reconnect in.
 */
function missingGoodbyes({ tabs }: Testbed, visitors: number): string[] {
  const least = leastSpread(visitors);
  return tabs.flatMap((tab) => {
    const [min, max] = tab.spread() ?? [0, 0];
    if (!tab.codes().includes(CLOSE.restart.code)) return [`goodbye: ${tab.name} was not told that the relay restarts`];
    return max - min >= least ? [] : [`goodbye: ${tab.name} was told to reconnect within only ${max - min} ms`];
  });
}

const cleanlyClosed = (database: string): boolean =>
  !existsSync(`${database}-wal`) || statSync(`${database}-wal`).size === 0;

/** Most arrivals within any second. */
export function peak(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [i, time] of sorted.entries()) {
    while ((sorted[from] ?? time) < time - 1_000) from++;
    most = Math.max(most, i - from + 1);
  }
  return most;
}

import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { joined, type Sample } from "../flows/sampler.ts";
import { addSample, STEPS } from "../records/series.ts";
import { overview } from "./overview.ts";

const NOW = Date.UTC(2026, 10, 23, 15, 30);
const gauges = {
  connections: () => 0,
  waiting: async () => ({ messages: 0, oldest: 0 }),
  pace: () => ({}),
  paused: () => ({}),
};

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const takesWrites = async (): Promise<boolean> => true;
const page = async (range: string): Promise<string> =>
  String(await overview({ db, now: NOW, takesWrites, gauges, range }));

/** The figure of a plot, without the other figures. */
const figureOf = (text: string, title: string): string =>
  /^.*?<\/figure>/s.exec(text.split("<figure>").find((part) => part.startsWith(`<figcaption>${title}<`)) ?? "")?.[0] ??
  "";

/** The labels of the time axis. */
const ticksOf = (figure: string): string[] =>
  [...figure.matchAll(/text-anchor="[^"]+">([^<]+)</g)].map(([, label = ""]) => label);

it("shows each class of the service's answers as a line, and failures on an axis of their own", async () => {
  const empty = joined([], "sum");
  const sample: Sample = {
    ...empty,
    messages: { ...empty.messages, stored: 5_000, failed: 2 },
    answers: { "2xx": 11, "429": 12, "4xx": 13, "5xx": 14, none: 15 },
  };
  await db.transaction((tx) =>
    addSample(tx, STEPS.minute, { at: NOW - 60_000, node: "", body: JSON.stringify(sample) }),
  );
  const text = await page("hour");
  for (const line of ["2xx newest 11", "429 newest 12", "4xx newest 13", "5xx newest 14", "no answer newest 15"])
    expect(figureOf(text, "The service&#39;s answers")).toContain(line);
  const failed = figureOf(text, "Failed messages");
  expect(failed).toContain("failed newest 2, highest 2");
  expect(failed).toContain('<text x="0" y="13">2</text>');
});

it("labels the time axis between its ends, which differ", async () => {
  expect(ticksOf(figureOf(await page("hour"), "Messages"))).toEqual(["14:30", "14:45", "15:00", "15:15", "15:30 UTC"]);
  expect(ticksOf(figureOf(await page("day"), "Messages"))).toEqual([
    "24 h ago",
    "21:30",
    "03:30",
    "09:30",
    "15:30 UTC",
  ]);
  expect(ticksOf(figureOf(await page("week"), "Messages"))[0]).toBe("11-16");
});

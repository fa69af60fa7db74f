import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { snippet } from "./guides.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";

let harness: Harness;
let token: string;

beforeAll(async () => {
  harness = await startHarness({
    sandbox: { ...NO_RANDOM_FAULTS, botActive: false },
    env: { TRUST_PROXY: "1", LOG_LEVEL: "info" },
  });
  token = (JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
});
afterAll(() => harness.stop());

const metrics = (bearer: string, address = "192.0.2.1"): Promise<Response> =>
  fetch(`${harness.url}/metrics`, { headers: { Authorization: `Bearer ${bearer}`, "X-Forwarded-For": address } });
/** The value of a series, with its labels as Prometheus writes them. */
const seriesValue = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")[1],
  );

it("counts messages, answers and times of a conversation, without naming visitors", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  const { id } = await visitor.send("words for the metrics");
  await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
  const fromId = harness.sandbox.messages().find(({ body }) => body === "words for the metrics")?.fromId ?? "";
  await harness.sandbox.humanReply({ fromId, body: "a reply for the metrics" });
  const reply = await visitor.receives("a reply for the metrics");
  const text = await (await metrics(token)).text();
  for (const event of ["stored", "delivered", "reply"])
    expect(seriesValue(text, `porchlight_messages_total{event="${event}"}`), event).toBe(1);
  expect(seriesValue(text, 'porchlight_service_answers_total{class="2xx"}')).toBeGreaterThanOrEqual(1);
  expect(seriesValue(text, "porchlight_delivery_seconds_count")).toBe(1);
  expect(seriesValue(text, "porchlight_reply_seconds_count")).toBe(1);
  expect(seriesValue(text, "porchlight_connections")).toBe(1);
  expect(seriesValue(text, "porchlight_waiting_messages")).toBe(0);
  expect(seriesValue(text, "porchlight_disk_free_bytes")).toBeGreaterThan(0);
  expect(text).not.toContain(fromId);
  // Each message has one line, without its text, with the id that the API shows.
  const lines = harness.lines().map((line) => JSON.parse(line) as { event: string; message?: string; level: number });
  for (const [event, message] of [
    ["delivery.done", id],
    ["callback.stored", reply.id],
  ])
    expect(lines.filter((line) => line.event === event && line.message === message)).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain("for the metrics");
  // The guide's example has the fields of a line, and the words of its event.
  const shown = JSON.parse(snippet("json log")) as Record<string, unknown>;
  const delivered: Record<string, unknown> = lines.find((line) => line.event === "delivery.done") ?? {};
  expect(Object.keys(delivered)).toEqual(Object.keys(shown));
  for (const field of ["level", "event", "msg"]) expect(delivered[field], field).toBe(shown[field]);
});

it("counts refusals of the service", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  harness.sandbox.failNext("incoming", 1, 400);
  await visitor.send("words that are refused");
  await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
  const text = await (await metrics(token)).text();
  expect(seriesValue(text, 'porchlight_messages_total{event="failed"}')).toBe(1);
  expect(seriesValue(text, 'porchlight_service_answers_total{class="4xx"}')).toBe(1);
  expect(seriesValue(text, 'porchlight_problems_total{event="delivery.failed"}')).toBe(1);
});

it("requires the token, and blocks an address that guesses, and no other", async () => {
  expect((await metrics("")).status).toBe(401);
  expect((await fetch(`${harness.url}/metrics`)).status).toBe(401);
  for (let n = 0; n < 8; n++) expect((await metrics(`guess-${n}`, "203.0.113.9")).status).toBe(401);
  expect((await metrics(token, "203.0.113.9")).status).toBe(401);
  expect((await metrics(token, "203.0.113.10")).status).toBe(200);
});

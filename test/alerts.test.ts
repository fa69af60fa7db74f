import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFast } from "./clocks.ts";
import { snippet } from "./guides.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { startMailServer } from "./mail-server.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { porchlight } from "./shell.ts";

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let harness: Harness;
beforeAll(async () => {
  receiver = await startReceiver(WEBHOOK_SECRET);
  const env = { ALERT_WEBHOOK: receiver.url, ALERT_WEBHOOK_SECRET: WEBHOOK_SECRET };
  harness = await startHarness({ run: runFast(100), sandbox: NO_RANDOM_FAULTS, env });
});
afterAll(async () => {
  await harness.stop();
  await receiver.stop();
});

/** The values of a series that `/metrics` shows now. */
async function series(name: string): Promise<string[]> {
  const { admin } = JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string };
  const answer = await fetch(`${harness.url}/metrics`, { headers: { Authorization: `Bearer ${admin}` } });
  return (await answer.text()).split("\n").filter((line) => line.startsWith(`${name}{`));
}

const eventsOf = (type: string, kind: string) =>
  receiver.events.filter((each) => each.type === type && (each.data as { kind: string }).kind === kind);

it("alerts the operator when an account is paused, when messages fail, and when deliveries continue", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  harness.sandbox.configure({ forceStatus: { incoming: 401 } });
  await visitor.send("while the key is refused");
  await expect.poll(() => eventsOf("alert.raised", "account")).toHaveLength(1);
  const shown = JSON.parse(snippet("json alert")) as { data: object };
  expect(Object.keys(eventsOf("alert.raised", "account")[0]?.data ?? {})).toEqual(Object.keys(shown.data));
  expect(receiver.events.every(({ valid }) => valid)).toBe(true);
  expect(await series("porchlight_account_paused")).toEqual(['porchlight_account_paused{account="default"} 1']);
  harness.sandbox.configure({ forceStatus: {} });
  await expect.poll(() => eventsOf("alert.ended", "account")).toHaveLength(1);
  expect(await series("porchlight_account_paused")).toEqual(['porchlight_account_paused{account="default"} 0']);

  harness.sandbox.failNext("incoming", 1, 400);
  await visitor.send("this one fails");
  await expect.poll(() => eventsOf("alert.raised", "failures")).toHaveLength(1);
  expect(eventsOf("alert.raised", "failures")[0]?.data).toMatchObject({
    problem: "1 message failed within 15 minutes.",
  });
});

it("alerts the operator when a message waits because the service does not work, and when it has been delivered", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  const before = eventsOf("alert.raised", "waiting").length;
  harness.sandbox.configure({ forceStatus: { incoming: 503 } });
  await visitor.send("while the service is down");
  await expect.poll(() => eventsOf("alert.raised", "waiting").length).toBeGreaterThan(before);
  expect(eventsOf("alert.raised", "waiting").at(-1)?.data).toMatchObject({
    problem: "1 message waits for the service, the oldest for more than five minutes.",
  });
  harness.sandbox.configure({ forceStatus: {} });
  const open = () => eventsOf("alert.raised", "waiting").length - eventsOf("alert.ended", "waiting").length;
  await expect.poll(open).toBe(0);
});

describe("a webhook of a site that does not accept its events", () => {
  let backend: Awaited<ReturnType<typeof startReceiver>>;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  let shop: Harness;
  beforeAll(async () => {
    [backend, mailServer] = [await startReceiver(WEBHOOK_SECRET), await startMailServer()];
    const env = {
      SMTP_URL: mailServer.url,
      MAIL_FROM: "chat@shop.example",
      PUBLIC_URL: "https://chat.shop.example",
      ALERT_MAIL: "ops@shop.example",
      WEBHOOK_SECRET,
    };
    const webhook = { url: backend.url, secret: "env:WEBHOOK_SECRET", events: ["message.visitor"] };
    shop = await startHarness({ run: runFast(100), sandbox: NO_RANDOM_FAULTS, env, site: { webhook } });
  });
  afterAll(async () => {
    await shop.stop();
    await mailServer.stop();
    await backend.stop();
  });

  /** The next mail, by its recipient, subject and text. */
  async function nextMail(): Promise<[to: string | undefined, subject: string | undefined, text: string]> {
    const mails = await mailServer.until(1);
    const mail = mails.shift();
    return [mail?.to[0], mail?.headers.subject, mail?.text ?? ""];
  }
  const begun = ["ops@shop.example", "Problem: webhook of default"];
  const over = ["ops@shop.example", "Ended: webhook of default"];

  it("alerts the operator by mail when it wants no more tries, and when it has accepted another event", async () => {
    const visitor = shop.visitor();
    await visitor.connect();
    backend.answerWith(410);
    await visitor.send("refused for good");
    const mail = await nextMail();
    expect(mail).toEqual([...begun, expect.stringContaining("did not accept message.visitor in 1 try (410).")]);
    expect(mail[2]).toContain("The page Webhooks shows each try.");
    await visitor.send("accepted");
    expect(await nextMail()).toEqual([...over, expect.stringContaining("This has ended: The webhook of site default")]);
  });

  it("alerts the operator after the third try, and when the event has been accepted", async () => {
    const visitor = shop.visitor();
    await visitor.connect();
    const before = backend.events.length;
    backend.answerWith(503, 503, 503);
    await visitor.send("refused three times");
    expect(await nextMail()).toEqual([...begun, expect.stringContaining("message.visitor in 3 tries (503).")]);
    const event = backend.events[before]?.id ?? "";
    expect((await porchlight(shop, ["webhooks", "retry", event])).code).toBe(0);
    expect(await nextMail()).toEqual([...over, expect.stringContaining("This has ended")]);
  });
});

import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import type { LogEvent } from "../base/log.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import type { MailMessage } from "../hooks/mailer.ts";
import type { Hook } from "../hooks/post.ts";
import { alertsPage } from "../records/alerts.ts";
import { createAlerts, type Problem } from "./alerts.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const PAUSED = { kind: "account", subject: "main", problem: "The service refuses it: 401", cure: "Check the key." };

function setUp(owns: (subject: string) => boolean = () => true) {
  const clock = manualClock(1_000_000);
  const mails: MailMessage[] = [];
  const hooked: Hook[] = [];
  const state = { problems: [] as Problem[], status: 200, mails: "sent" as "sent" | "again", broken: false };
  const logged: [LogEvent, unknown][] = [];
  const open = () =>
    createAlerts({
      db,
      clock,
      address: () => "https://chat.example",
      log: (event, details) => void logged.push([event, details]),
      rules: { mail: "ops@example.com", webhook: { url: "https://ops.example/", secret: "secret" } },
      mailer: {
        async post(message) {
          if (state.mails === "sent") mails.push(message);
          return { kind: state.mails, reason: "greylisted" };
        },
      },
      hooks: {
        async post(hook) {
          if (state.status === 200) hooked.push(hook);
          return { status: state.status, text: "" };
        },
        close: async () => {},
      },
      checks: [
        {
          kind: "disk",
          owns: () => true,
          find: () => (state.broken ? Promise.reject(new Error("no such folder")) : Promise.resolve([])),
        },
        { kind: "account", owns, find: async () => state.problems },
      ],
    });
  const types = () => hooked.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  return {
    clock,
    mails,
    hooked,
    state,
    logged,
    open,
    types,
    ...open(),
  };
}

it("reports a problem and its end once each, by mail and webhook, also when the relay restarts meanwhile", async () => {
  const { run, state, mails, types, hooked, open } = setUp();
  await run();
  expect(mails).toEqual([]);
  state.problems = [PAUSED];
  await run();
  await run();
  await open().run();
  expect(mails).toMatchObject([{ to: "ops@example.com", subject: "Problem: account of main" }]);
  expect(mails[0]?.text).toContain("The service refuses it: 401\n\nCheck the key.");
  expect(JSON.parse(hooked[0]?.body ?? "")).toMatchObject({ type: "alert.raised", data: PAUSED });
  expect(await alertsPage(db, { limit: 10, skip: 0 })).toMatchObject([
    { kind: "account", subject: "main", ended: null },
  ]);
  state.problems = [];
  await open().run();
  expect(mails.map(({ subject }) => subject)).toEqual(["Problem: account of main", "Ended: account of main"]);
  expect(types()).toEqual(["alert.raised", "alert.ended"]);
  expect((await alertsPage(db, { limit: 10, skip: 0 }))[0]?.ended).not.toBeNull();
  state.problems = [PAUSED];
  await run();
  expect(types()).toEqual(["alert.raised", "alert.ended", "alert.raised"]);
});

it("retries each channel until it works, and uses none twice", async () => {
  const { run, state, mails, types } = setUp();
  state.problems = [PAUSED];
  state.mails = "again";
  await run();
  expect([mails.length, types()]).toEqual([0, ["alert.raised"]]);
  state.mails = "sent";
  await run();
  await run();
  expect([mails.length, types()]).toEqual([1, ["alert.raised"]]);
});

it("does not check what another node checks", async () => {
  const here = setUp();
  here.state.problems = [PAUSED];
  await here.run();
  const elsewhere = setUp((subject) => subject !== "main");
  await elsewhere.run();
  expect((await alertsPage(db, { limit: 10, skip: 0 }))[0]?.ended).toBeNull();
});

it("runs the other checks and sends their alerts when one check throws", async () => {
  const { run, state, mails, logged } = setUp();
  state.broken = true;
  state.problems = [PAUSED];
  await run();
  expect(mails).toMatchObject([{ subject: "Problem: account of main" }]);
  expect(logged).toContainEqual(["alert.unchecked", { kind: "disk", cause: "Error: no such folder" }]);
});

it("sends an unsent alert after a restart, with its cure and under the same id", async () => {
  const { run, state, mails, hooked, open } = setUp();
  state.problems = [PAUSED];
  [state.mails, state.status] = ["again", 503];
  await run();
  expect([mails, hooked]).toEqual([[], []]);
  const restarted = open();
  [state.mails, state.status] = ["sent", 200];
  await restarted.run();
  await open().run();
  expect(mails).toHaveLength(1);
  expect(mails[0]?.text).toContain("Check the key.");
  expect(JSON.parse(hooked[0]?.body ?? "")).toMatchObject({ type: "alert.raised", data: PAUSED });
  expect(hooked).toHaveLength(1);
});

it("reports the end of a problem after a restart if that was not sent before", async () => {
  const { run, state, mails, types, open } = setUp();
  state.problems = [PAUSED];
  await run();
  state.problems = [];
  [state.mails, state.status] = ["again", 503];
  await run();
  [state.mails, state.status] = ["sent", 200];
  await open().run();
  await open().run();
  expect(mails.map(({ subject }) => subject)).toEqual(["Problem: account of main", "Ended: account of main"]);
  expect(types()).toEqual(["alert.raised", "alert.ended"]);
});

it("keeps the text of an open alert up to date, without sending it again", async () => {
  const { run, state, mails } = setUp();
  state.problems = [PAUSED];
  await run();
  state.problems = [{ ...PAUSED, problem: "The service refuses it: 403" }];
  await run();
  expect(await alertsPage(db, { limit: 10, skip: 0 })).toMatchObject([{ problem: "The service refuses it: 403" }]);
  expect(mails).toHaveLength(1);
});

import { Hono } from "hono";
import { expect, it } from "vitest";
import type { AdminApp } from "./context.ts";
import { showFailures } from "./pages.ts";

it("says that the database does not work, and how to correct that, but not the cause, when even the session cannot be read", async () => {
  const events: string[] = [];
  const app = new Hono<AdminApp>();
  showFailures(app, { deps: { log: (event) => void events.push(event) } });
  app.get("/admin", () => {
    throw Object.assign(new Error("connect ECONNREFUSED 192.0.2.7:5432"), { code: "ECONNREFUSED" });
  });
  const answer = await app.request("/admin");
  const text = await answer.text();
  expect([answer.status, events]).toEqual([503, ["relay.internal"]]);
  expect(text).toContain("This page could not be made, because the database does not work now.");
  expect(text).toContain("<code>DATABASE_URL</code>");
  expect(text).not.toContain("192.0.2.7");
});

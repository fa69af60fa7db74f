/** Several tabs of one browser, when the relay replaces the token that they share. */

import { beforeEach, expect, it } from "vitest";
import { frameOf, replyOf } from "./script.fixture.ts";
import { KEY, visit } from "./visit.fixture.ts";
import { type Browser, createBrowser, createWorld, type World } from "./world.fixture.ts";

let world: World;
let browser: Browser;

beforeEach(() => {
  world = createWorld();
  browser = createBrowser(world);
});

/** A token as the relay signs it. */
const tokenOf = (visitor: string, turn: number): string =>
  `${Buffer.from(JSON.stringify([visitor, "shop", 1, 2_000_000_000_000, "login", turn])).toString("base64url")}.mac`;
const stored = () => JSON.parse(browser.storage.get(KEY) ?? "{}") as { token?: string; n?: number };

/** A tab that shows one reply of the visitor's log. */
function firstTab() {
  const one = visit(browser);
  one.online({ token: tokenOf("v_one", 0), head: 1 }).deliver(frameOf(replyOf(1)));
  one.chat.markRead();
  return one;
}

it("a new token changes nothing in the other tabs, which use it for uploads", () => {
  const one = firstTab();
  const shown: number[] = [];
  one.chat.items.subscribe((items) => shown.push(items.length));
  const other = visit(browser);
  other.online({ token: tokenOf("v_one", 1), head: 1, read: 1 }).deliver(frameOf(replyOf(1)));
  world.advance(1_000);
  expect(stored().token).toBe(tokenOf("v_one", 1));
  expect(one.script.wires.length).toBe(1);
  expect(one.script.wire.closed).toBe(false);
  expect(new Set(shown)).toEqual(new Set([1]));
  expect(one.chat.token()).toBe(tokenOf("v_one", 1));
});

it("a tab that reconnects after another tab has stored the new token keeps its thread", () => {
  const one = firstTab();
  one.script.wire.close(1006);
  const other = visit(browser);
  other.online({ token: tokenOf("v_one", 1), head: 1, read: 1 }).deliver(frameOf(replyOf(1)));
  world.advance(60_000);
  expect(one.chat.items.value.length).toBe(1);
  one.script.wire.open();
  expect(one.script.wire.sent[0]).toMatchObject({ token: tokenOf("v_one", 1), epoch: "e1", since: 1 });
});

it("a page reports a reply that arrived while it was closed, also if the first welcome replaces the token", () => {
  firstTab().tab.kill();
  const next = visit(browser);
  const reported: string[] = [];
  next.chat.on("message", ({ id }) => reported.push(id));
  const wire = next.online({ token: tokenOf("v_one", 1), head: 2, read: 1 });
  wire.deliver(frameOf(replyOf(1)));
  wire.deliver(frameOf(replyOf(2)));
  expect(reported).toEqual(["reply-2"]);
});

it("a tab drops its thread when the new token belongs to another visitor", () => {
  const one = firstTab();
  const other = visit(browser);
  other.online({ token: tokenOf("u_two", 0), head: 0 });
  world.advance(1_000);
  expect(one.script.wires.length).toBe(2);
  one.script.greet({ token: tokenOf("u_two", 0) });
  expect(one.chat.items.value).toEqual([]);
});

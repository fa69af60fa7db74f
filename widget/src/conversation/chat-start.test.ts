import { beforeEach, describe, expect, it } from "vitest";
import { frameOf, replyOf } from "./script.fixture.ts";
import { firstVisit, KEY } from "./visit.fixture.ts";

let { world, browser, tab, script, chat, online } = firstVisit();
beforeEach(() => {
  ({ world, browser, tab, script, chat, online } = firstVisit());
});

describe("destroying the chat", () => {
  it("leaves no timer, listener or connection, and keeps the draft", () => {
    const wire = online();
    chat.send("one");
    chat.draft.value = "hm";
    tab.hide();
    chat.destroy();
    expect(wire.closed).toBe(true);
    expect(world.pending()).toBe(0);
    expect(tab.listening()).toBe(0);
    expect(browser.storage.get(KEY)).toContain("hm");
    chat.start();
    expect(chat.send("two")).toBe("");
    expect(script.wires).toHaveLength(1);
  });

  it("can be stopped and started again, and keeps the thread", () => {
    online({ head: 1 }).deliver(frameOf(replyOf(1)));
    chat.stop();
    expect(chat.link.value).toBe("idle");
    expect(chat.items.value).toHaveLength(1);
    chat.start();
    script.wire.open();
    expect(script.wire.sent[0]).toMatchObject({ since: 1 });
  });
});

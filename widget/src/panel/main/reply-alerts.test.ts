// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixture, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { startReplyAlerts } from "./reply-alerts.ts";

let on: Fixture;
let stop: () => void;
beforeEach(async () => {
  on = await createFixture();
  stop = startReplyAlerts(on.ui);
});
afterEach(() => {
  stop();
  on.stop();
});

describe("announcements and page events", () => {
  it("announce a reply with its author once, and report it to the page", async () => {
    const item = reply("It is **on its way**.", { id: "r1", at: 5 });
    on.chat.emit("message", item);
    await expect.poll(() => on.said).toEqual(["AI assistant said: It is on its way."]);
    expect(on.emitted).toEqual([["message", { id: "r1", text: "It is **on its way**.", at: 5 }]]);
  });

  it("describe an unavailable file in words, and report the neutral text to the page", async () => {
    on.chat.emit("message", reply("[a file]", { noFile: [0, 8] }));
    await expect.poll(() => on.said).toEqual(["AI assistant said: A file was sent that can't be shown here."]);
    expect(on.emitted).toMatchObject([["message", { text: "[a file]" }]]);
  });

  it("confirm a sent message", () => {
    on.chat.emit("sent", own("Hello", { id: "o1", at: 6 }));
    expect(on.said).toEqual(["Message sent"]);
    expect(on.emitted).toEqual([["sent", { id: "o1", text: "Hello", at: 6 }]]);
  });

  it("report to the page that the relay has accepted the identity", () => {
    on.chat.emit("identify", undefined);
    expect(on.emitted.map(([name]) => name)).toEqual(["identify"]);
  });

  it("announce the number of new messages while the panel is closed, only when it grows", () => {
    on.isOpen.value = false;
    on.chat.emit("unread", 1);
    on.chat.emit("unread", 2);
    on.chat.emit("unread", 0);
    expect(on.said).toEqual(["1 new message", "2 new messages"]);
    expect(on.emitted.map(([, count]) => count)).toEqual([1, 2, 0]);
  });

  it("announce a failure once", () => {
    const failed = own("x", { state: "failed" });
    on.chat.items.value = [failed];
    on.chat.items.value = [{ ...failed }];
    expect(on.said).toEqual(["! A message wasn't sent."]);
  });
});

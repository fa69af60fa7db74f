// @vitest-environment happy-dom
import { batch } from "@preact/signals-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { corpusText } from "../../../../test/corpora.ts";
import { createFixture, drawn, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Thread } from "./thread.tsx";

let on: Fixture;
let view: HTMLElement;
beforeEach(async () => {
  on = await createFixture({ responder: "ai" });
  view = on.show(Thread);
});
afterEach(() => on.stop());

const texts = (selector: string): (string | null)[] =>
  [...view.querySelectorAll(selector)].map((node) => node.textContent);
const button = (name: string): HTMLButtonElement | undefined =>
  [...view.querySelectorAll("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === name);

describe("a message", () => {
  it("names its author for screen readers, at each bubble", async () => {
    on.chat.items.value = [own("Hi"), reply("Hello"), reply("How can I help?")];
    await drawn();
    expect(texts(".msg > .vh").map((text) => text?.replace(/, .*/, ""))).toEqual([
      "You",
      "AI assistant",
      "AI assistant",
    ]);
    expect(texts(".author")).toEqual(["AI assistant"]);
  });

  it("shows its delivery state only below the visitor's newest message", async () => {
    on.chat.items.value = [own("a"), own("b", { state: "sent" }), reply("c")];
    await drawn();
    expect(texts(".state")).toEqual(["Sent"]);
    on.chat.items.value = [own("a"), own("b", { state: "delivered" }), reply("c")];
    await drawn();
    expect(texts(".state")).toEqual(["Delivered"]);
  });

  it("shows why it failed, with Retry and Delete", async () => {
    const bad = own("x", { state: "failed", reason: "too_long" });
    on.chat.items.value = [bad, own("y", { state: "failed" })];
    // The code that shows the reason and the buttons is fetched with the first failure.
    await expect.poll(() => texts(".failed p")).toEqual(["Not sent. It is too long.", "Not sent."]);
    button("Retry")?.click();
    button("Delete")?.click();
    expect(on.chat.calls).toEqual([
      ["retry", bad.id],
      ["remove", bad.id],
    ]);
  });

  it("is drawn as Markdown if it is a reply, as plain text if it is the visitor's", async () => {
    on.chat.items.value = [own("**mine** https://example.com"), reply("**theirs**")];
    await drawn();
    expect(view.querySelector(".own strong")).toBeNull();
    expect(view.querySelector(".own a")?.getAttribute("href")).toBe("https://example.com/");
    expect(texts(".reply strong")).toEqual(["theirs"]);
  });

  it("opens links in a new tab, says so, and sends no referrer", async () => {
    on.chat.items.value = [reply("[our page](https://example.com)")];
    // A link whose text is not its address comes with a part that compares the two.
    await expect.poll(() => view.querySelector(".bubble a")).not.toBeNull();
    const link = view.querySelector(".bubble a");
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer nofollow ugc");
    expect([link?.textContent, link?.getAttribute("aria-describedby")]).toEqual(["our page", "tab"]);
  });

  it("says in the visitor's language that a file is not available", async () => {
    on.ui.language.value.t = (
      (t) => (key, values) =>
        key === "noFile" ? "Datei fehlt." : t(key, values)
    )(on.ui.language.value.t);
    on.chat.items.value = [reply("Look:\n[a file]\nBye", { noFile: [6, 14] }), reply("[a file]", { noFile: [0, 8] })];
    await drawn();
    expect(texts(".bubble")).toEqual(["Look:\nDatei fehlt.\nBye", "Datei fehlt."]);
  });

  it("is drawn large if it has only one to three emoji", async () => {
    const emoji = [
      "👍🏽",
      "☝🏽",
      "❤️",
      "🎉 🎉\n🎉 ",
      "🇳🇴",
      "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
      "1️⃣",
      "👩‍❤️‍💋‍👨",
      "🏳️‍🌈",
    ];
    on.chat.items.value = [...emoji, "👍 ok", "🎉🎉🎉🎉", "1", "#", "🇳", "", " "].map((text) => own(text));
    await drawn();
    expect(texts(".big")).toEqual(emoji);
  });

  it("shows the relay's pictures with their size, and fetches nothing from other hosts", async () => {
    const media = { type: "image/png", name: "lamp.png", size: 52_000, width: 640, height: 400 };
    on.chat.items.value = [
      reply("", { media: { ...media, url: "/media/a.png" } }),
      reply("", { media: { ...media, url: "https://elsewhere.example/b.png" } }),
      reply("", { media: { ...media, url: "javascript:alert(1)" } }),
      reply("", { media: { ...media, url: "/media/c.svg", type: "image/svg+xml" } }),
    ];
    await expect.poll(() => texts(".file > .vh")).toHaveLength(3);
    const pictures = [...view.querySelectorAll("img")];
    expect(pictures.map((picture) => picture.getAttribute("src"))).toEqual(["https://relay.example/media/a.png"]);
    expect(pictures[0]?.getAttribute("width")).toBe("640");
    expect(pictures[0]?.alt).toBe("Picture from AI assistant");
    expect(texts(".file bdi")).toEqual(["lamp.png", "lamp.png", "lamp.png"]);
    expect([...view.querySelectorAll(".file")].map((file) => file.getAttribute("href"))).not.toContain(
      "javascript:alert(1)",
    );
  });

  it("plays the relay's audio and video, and opens its pictures in a lightbox", async () => {
    const file = { name: "note.webm", size: 9_000 };
    on.chat.items.value = [
      reply("", { media: { ...file, type: "audio/webm", url: "/media/a.webm" } }),
      reply("", { media: { ...file, type: "video/mp4", url: "/media/b.mp4" } }),
      reply("", { media: { ...file, type: "audio/webm", url: "https://elsewhere.example/c.webm" } }),
      reply("", { media: { ...file, type: "image/png", url: "/media/d.png" } }),
    ];
    await expect.poll(() => view.querySelector(".picture")).not.toBeNull();
    await expect.poll(() => view.querySelector(".sound button")?.getAttribute("aria-label")).toBe("Play");
    const players = [...view.querySelectorAll("audio, video")];
    expect(players.map((player) => [player.localName, player.getAttribute("src")])).toEqual([
      ["audio", "https://relay.example/media/a.webm"],
      ["video", "https://relay.example/media/b.mp4"],
    ]);
    expect(view.querySelectorAll(".file")).toHaveLength(1);
    const isFollowed = view
      .querySelector(".picture")
      ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    expect(isFollowed).toBe(false);
    await expect
      .poll(() => on.root.querySelector(".lightbox img")?.getAttribute("src"))
      .toBe("https://relay.example/media/d.png");
    on.root.querySelector<HTMLElement>(".lightbox button")?.click();
    await expect.poll(() => on.root.querySelector(".lightbox")).toBeNull();
  });

  it("with a file is a link where the site shows no viewer, except for the picture's small version", async () => {
    on.stop();
    on = await createFixture({ mediaViewer: false });
    view = on.show(Thread);
    const file = { name: "note.webm", size: 9_000 };
    on.chat.items.value = [
      reply("", { media: { ...file, type: "audio/webm", url: "/media/a.webm" } }),
      reply("", { media: { ...file, type: "video/mp4", url: "/media/b.mp4" } }),
      reply("", { media: { ...file, type: "image/png", url: "/media/d.png" } }),
    ];
    await expect.poll(() => view.querySelectorAll(".file").length).toBe(2);
    const picture = view.querySelector(".picture");
    const isFollowed = picture?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    expect([isFollowed, picture?.getAttribute("target")]).toEqual([true, "_blank"]);
    expect(view.querySelector("audio, video")).toBeNull();
  });

  it("can be reacted to only while it is the newest reply", async () => {
    on.chat.items.value = [reply("a"), reply("b", { id: "newest" })];
    await drawn();
    expect(view.querySelectorAll(".react")).toHaveLength(1);
    on.chat.items.value = [reply("a"), reply("b", { id: "newest", reaction: "👍" })];
    await expect.poll(() => button("Remove 👍")).toBeDefined();
    button("Remove 👍")?.click();
    expect(on.chat.calls).toEqual([["react", "newest", ""]]);
  });
});

describe("the line above new messages", () => {
  const rows = () =>
    [...view.querySelectorAll("li")].map((row) => row.querySelector(".bubble")?.textContent ?? row.className);

  it("is where the visitor stopped reading, also if the chat opens before the messages are loaded", async () => {
    on.stop();
    on = await createFixture();
    on.chat.ready.value = false;
    view = on.show(Thread);
    await drawn();
    // The relay's last frame completes the thread.
    batch(() => {
      on.chat.items.value = [own("Hi"), reply("seen"), reply("news", { id: "news" })];
      on.chat.firstUnread.value = "news";
      on.chat.ready.value = true;
    });
    await drawn();
    expect(rows().slice(1)).toEqual(["Hi", "seen", "divider new", "news"]);
    batch(() => {
      on.chat.items.value = [...on.chat.items.value, reply("while here", { id: "later" })];
      on.chat.firstUnread.value = "later";
    });
    await drawn();
    expect(rows().slice(1)).toEqual(["Hi", "seen", "divider new", "news", "while here"]);
  });

  it("is not drawn above messages that arrive while the visitor is reading", async () => {
    on.chat.items.value = [own("Hi")];
    await drawn();
    on.chat.items.value = [own("Hi"), reply("Hello", { id: "hello" })];
    on.chat.firstUnread.value = "hello";
    await drawn();
    expect(rows()).not.toContain("divider new");
  });
});

describe("hostile messages", () => {
  const harmless = /^(p|strong|em|s|code|pre|ul|ol|li|a|span|bdi)$/;
  const ownExamples = [
    '<img src=x onerror="alert(1)">',
    "[x](javascript:alert(1))",
    "<svg/onload=alert(1)>",
    "\u0000<script>alert(1)</script>",
  ];

  it("are shown as text, with only the widget's own elements and attributes (corpora/xss)", async () => {
    const known = JSON.parse(corpusText("xss/payloads.json") || "[]") as { payload: string }[];
    const payloads = [...ownExamples, ...known.map(({ payload }) => payload)];
    for (let at = 0; at < payloads.length; at += 60) {
      on.chat.items.value = payloads.slice(at, at + 60).flatMap((text) => [reply(text), own(text)]);
      await drawn();
      for (const node of view.querySelectorAll(".bubble *")) {
        expect(node.localName).toMatch(harmless);
        const names = node
          .getAttributeNames()
          .filter((name) => !/^(href|target|rel|class|dir|tabindex|start|aria-describedby)$/.test(name));
        expect(names).toEqual([]);
        if (node.localName === "a") expect(node.getAttribute("href")).toMatch(/^(https?|mailto|tel):/);
      }
    }
  });
});

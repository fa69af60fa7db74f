// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LinkEnding, LinkState } from "../../conversation/chat.ts";
import type { Key } from "../../locales/en.types.ts";
import type { Options } from "../../settings/options.ts";
import { HEADER_WORDS, type HeaderState } from "../base/header-words.ts";
import { createFixture, drawn, type FakeChat, type Fixture, own } from "../base/ui.fixture.ts";
import { Header } from "./header.tsx";
import { Panel } from "./panel.tsx";

let on: Fixture;
beforeEach(async () => {
  on = await createFixture();
});
afterEach(() => {
  on.stop();
  vi.restoreAllMocks();
});

const line = (): string | null | undefined => on.root.querySelector("#about")?.textContent;

const READY = "AI assistant\u00a0· usually replies instantly";
const ALONE = "AI assistant";

const DAY_MS = 24 * 3_600_000;
/** Business hours that begin the day after tomorrow, in UTC. */
const LATER = {
  timeZone: "UTC",
  [(["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const)[new Date(Date.now() + 2 * DAY_MS).getUTCDay()] ??
    "sun"]: "9:00-17:00",
};
const end = (ending: LinkEnding) => (chat: FakeChat) => {
  chat.link.value = "ended";
  chat.ending.value = ending;
};
const link = (value: LinkState) => (chat: FakeChat) => {
  chat.link.value = value;
};

/** How to bring the panel into each state, and the key of the text that the panel then shows below the header. */
const STATES: [
  state: HeaderState,
  name: string,
  bring: (chat: FakeChat) => void,
  elsewhere?: Key,
  options?: Options,
][] = [
  ["ready", "online", () => {}],
  ["ready", "before the first connection", link("idle")],
  ["offline", "without a network", link("offline"), "offline"],
  ["connecting", "until the next try", link("waiting"), "connecting"],
  ["delayed", "while the service cannot be reached", ({ delivery }) => (delivery.value = "delayed"), "delayed"],
  ["noReply", "after two minutes", ({ working }) => (working.value = { since: Date.now() - 121_000 }), "noReply"],
  ["closed", "outside business hours", () => {}, "closedSend", { hours: LATER }],
  ["notAllowed", "from an origin that is not listed", end("notAllowed"), "endedNotAllowed"],
  ["ended", "by a deletion", end("gone"), "forgotten"],
  ["ended", "by a logout", end("normal"), "endedGone"],
  ["ended", "by an expired identity", end("badToken"), "endedToken"],
  ["ended", "by an update of the relay", end("version"), "endedVersion"],
];

it("has a row below for each state of the table of words", () => {
  expect(new Set(STATES.map(([state]) => state))).toEqual(new Set(Object.keys(HEADER_WORDS)));
});

it.each(STATES)("the header shows the words of the table, and the panel explains the state: %s %s", async (...row) => {
  const [state, , bring, elsewhere, options = {}] = row;
  vi.spyOn(console, "warn").mockReturnValue();
  on.stop();
  on = await createFixture(options);
  on.chat.items.value = [own("Hello")];
  bring(on.chat);
  const view = on.show(Panel);
  const { t } = on.ui;
  const words = HEADER_WORDS[state];
  const author = t("authorAi");
  // Without `header-line.tsx`, the line has no element in it. Only these two states do not need that file.
  const place = /ready|delayed/.test(state) ? "#about" : "#about > span";
  const shown = () => on.root.querySelector(place)?.textContent;
  const about = words && `${author}\u00a0· ${t(words).replace(/\.$/, "")}`;
  await expect.poll(shown).toBe(state === "ready" ? t("statusAi") : (about ?? author));
  if (elsewhere) await expect.poll(() => view.querySelector("#panel .app")?.textContent).toContain(t(elsewhere));
});

it("stops saying that no reply came when the visitor writes again", async () => {
  on.chat.working.value = { since: Date.now() - 121_000 };
  on.show(Header);
  await expect.poll(line).toBe(`${ALONE}\u00a0· No reply yet`);
  on.chat.working.value = { since: Date.now() };
  await drawn();
  expect(line()).toBe(READY);
});

it("does not mention a connection that opens within three seconds", async () => {
  on.chat.link.value = "connecting";
  on.show(Header);
  await drawn();
  expect(line()).toBe(READY);
  on.chat.link.value = "online";
  await drawn();
  expect(line()).toBe(READY);
});

it("promises nothing while it tries to connect again after a failure", async () => {
  on.chat.link.value = "offline";
  on.show(Header);
  await expect.poll(() => on.root.querySelector("#about > span")?.textContent).toBe(ALONE);
  for (const link of ["connecting", "waiting", "connecting"] as const) {
    on.chat.link.value = link;
    await drawn();
    expect(line()).toBe(ALONE);
  }
  on.chat.link.value = "online";
  await drawn();
  expect(line()).toBe(READY);
});

it("promises nothing when its code arrives while it tries to connect again", async () => {
  on.chat.link.value = "offline";
  on.show(Header);
  on.chat.link.value = "connecting";
  await expect.poll(() => on.root.querySelector("#about > span")).not.toBe(null);
  expect(line()).toBe(ALONE);
});

it("promises no time before the opening hours are known", async () => {
  on.stop();
  on = await createFixture({ hours: { timeZone: "Europe/Oslo" } });
  on.show(Header);
  expect(line()).toBe(ALONE);
});

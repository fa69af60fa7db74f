import type { ErrorFrame, RelayFrame } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { describe, expect, it } from "vitest";
import { createLimiter } from "../base/limiter.ts";
import { silentLog } from "../base/log.ts";
import type { Budgets } from "../flows/budgets.ts";
import type { ConnectionActions, Live, LiveFrame } from "./connection.ts";
import { createFrames } from "./frames.ts";

const ACCEPTED = Promise.resolve(undefined);

type Waits = { [budget in keyof Pick<Budgets, "message" | "visitor" | "lead">]: number };

/** Flows that record the page of each message, and the page to which each transcript links, with the language. */
function recordPages(calls: string[], stored: object) {
  const pages: (string | undefined)[] = [];
  const sendMessage = async (_visitor: string, _site: object, draft: { page?: { url: string } }): Promise<object> => {
    calls.push("send");
    pages.push(draft.page?.url);
    return stored;
  };
  const locales: string[] = [];
  const transcript = async ({ context }: { context: { page: string; locale: string } }): Promise<object> => {
    pages.push(context.page);
    locales.push(context.locale);
    return { id: "mail", address: "a@b.example" };
  };
  return { pages, locales, sendMessage, transcript };
}

/**
 * Frames of a new visitor. Counts the calls of all flows.
 * @param refused why reactions are refused
 * @param verdict the service's answer to a form
 */
function setup(waits: Partial<Waits> = {}, refused?: "full", verdict: Promise<"invalid_email" | undefined> = ACCEPTED) {
  const calls: string[] = [];
  const sent: RelayFrame[] = [];
  const act = (name: string, result: unknown) => async (): Promise<never> => {
    calls.push(name);
    return result as never;
  };
  const stored = { message: { n: 1 }, fresh: true };
  const { pages, locales, sendMessage, transcript } = recordPages(calls, stored);
  const handleFrame = createFrames({
    db: {} as never,
    bus: {} as never,
    clock: { now: () => 0 },
    log: silentLog,
    send: { send: sendMessage, react: act("react", refused), retry: act("retry", {}) } as never,
    forget: act("forget", true),
    logout: act("logout", undefined),
    capture: act("lead", { verdict }),
    mail: { subscribe: act("subscribe", undefined), transcript } as never,
    rate: act("rate", true),
    passesGuard: async () => true,
    messages: createLimiter({ burst: 10, perMinute: 30, uptime: () => 0 }),
    freeFrames: createLimiter({ burst: 20, perMinute: 60, uptime: () => 0 }),
    budgets: {
      message: () => waits.message ?? 0,
      visitor: () => waits.visitor ?? 0,
      lead: () => waits.lead ?? 0,
    },
  });
  const live = {
    visitor: "v",
    site: { public: DEFAULT_SITE },
    address: "192.0.2.1",
    origin: "https://shop.example",
    fresh: true,
    connection: {},
  } as Live;
  live.connection.phase = live;
  const actions: ConnectionActions = {
    send: (_live, frame) => void sent.push(frame),
    closeGone: async () => {},
    pong: async () => {},
    closeBusy: () => void calls.push("closed"),
  };
  const handle = (frame: LiveFrame): Promise<void> => handleFrame(actions, live, frame);
  const errors = (): ErrorFrame[] => sent.filter((frame) => frame.t === "error");
  return { calls, handle, sent, errors, live, pages, locales };
}

const send = (n: number): LiveFrame => ({ t: "send", id: `message-${n}`, text: "hello" });
const lead: LiveFrame = { t: "lead", id: "lead-0001", chat: false, email: "a@b.example" };

describe("a visitor's frame", () => {
  it("is limited: of 500 messages at once ten are accepted, each other gets a time to retry (A27)", async () => {
    const { calls, handle, errors } = setup();
    for (let n = 0; n < 500; n++) await handle(send(n));
    expect(calls).toHaveLength(10);
    expect(errors()).toHaveLength(490);
    expect(errors()[0]).toEqual({ t: "error", code: "rate_limited", id: "message-10", retryAfter: 2_000 });
  });

  it("is counted also as a reaction, repeat, rating or form", async () => {
    const { calls, handle } = setup();
    for (let n = 0; n < 10; n++) await handle({ t: "retry", id: `message-${n}` });
    await handle({ t: "react", id: "reply-0001", emoji: "👍" });
    await handle({ t: "rate", id: "rating-01", of: 2, score: 1 });
    await handle(lead);
    await handle(send(1));
    expect(calls).toEqual(Array(10).fill("retry"));
  });

  it("is answered with a time to retry when it is a reaction that the day's budget has no room for (A27)", async () => {
    const { handle, errors } = setup({}, "full");
    await handle({ t: "react", id: "reply-0001", emoji: "👍" });
    expect(errors()).toEqual([{ t: "error", code: "try_later", id: "reply-0001", retryAfter: 3_600_000 }]);
  });

  it("is deferred while its address or site has sent too much, with an error that does not blame the visitor (A27)", async () => {
    const { calls, handle, errors } = setup({ message: 7_000 });
    await handle(send(1));
    expect([calls, errors()]).toEqual([[], [{ t: "error", code: "try_later", id: "message-1", retryAfter: 7_000 }]]);
  });

  it("is deferred while too many new visitors write, unless its visitor is already stored (A27)", async () => {
    const { calls, handle, errors, live } = setup({ visitor: 9_000 });
    await handle(send(1));
    await handle(lead);
    expect([calls, errors().map(({ code }) => code)]).toEqual([[], ["try_later", "try_later"]]);
    live.fresh = false;
    await handle(send(1));
    expect(calls).toEqual(["send"]);
  });

  it("ends the connection when too many frames request history, read marks or pings (A28)", async () => {
    const { calls, handle, sent } = setup();
    const asked: LiveFrame[] = [{ t: "ping" }, { t: "typing" }];
    for (let n = 0; n < 20; n++) await handle(asked[n % asked.length] as LiveFrame);
    expect(calls).toEqual([]);
    for (const frame of [...asked, { t: "read", n: 1 }, { t: "older", before: 9 }] as LiveFrame[]) await handle(frame);
    expect([calls, sent]).toEqual([Array(4).fill("closed"), []]);
    await handle(send(1));
    expect(calls.at(-1)).toBe("send");
  });

  it.each([
    ["/lamps?a=1", "https://shop.example/lamps?a=1", "https://shop.example/lamps"],
    ["https://shop.example/x", "https://shop.example/x", "https://shop.example/x"],
    ["https://evil.example/", undefined, "https://shop.example"],
    ["//evil.example/x", undefined, "https://shop.example"],
    ["javascript:alert(1)", undefined, "https://shop.example"],
    ["blob:https://shop.example/x", undefined, "https://shop.example"],
  ])("with the page %s stores and links to nothing but pages of its own origin", async (page, stored, linked) => {
    const { handle, pages } = setup();
    await handle({ t: "send", id: "message-1", text: "hello", page });
    await handle({ t: "transcript", id: "transcript-1", page });
    expect(pages).toEqual([stored, linked]);
  });

  it("stores a language without characters that PostgreSQL refuses (A33)", async () => {
    const { handle, locales } = setup();
    for (const locale of ["de-AT", "d\0e", "\ud800"]) await handle({ t: "transcript", id: "transcript-1", locale });
    expect(locales).toEqual(["de-AT", "d e", "\ufffd"]);
  });

  it("counts as a visitor's first message once", async () => {
    const { handle, live } = setup();
    await handle(send(1));
    expect(live.fresh).toBe(false);
  });

  it("is refused as a form when its address has sent too many (A40)", async () => {
    const { calls, handle, errors } = setup({ lead: 60_000 });
    await handle(lead);
    expect([calls, errors()]).toEqual([[], [{ t: "error", code: "rate_limited", id: lead.id, retryAfter: 60_000 }]]);
  });

  it("is remembered as a form until it is accepted", async () => {
    const verdict = Promise.withResolvers<undefined>();
    const { handle, live } = setup({}, undefined, verdict.promise);
    await handle(lead);
    expect(live.forms?.get("lead-0001")).toBe("awaited");
    verdict.resolve(undefined);
    await verdict.promise;
    expect(live.forms?.size).toBe(0);
  });

  it("is remembered as a refused form", async () => {
    const verdict = Promise.resolve("invalid_email" as const);
    const { handle, live, errors } = setup({}, undefined, verdict);
    await handle(lead);
    await verdict;
    expect(live.forms?.get("lead-0001")).toBe("refused");
    expect(errors()).toEqual([{ t: "error", code: "invalid_email", id: "lead-0001", field: "email" }]);
  });
});

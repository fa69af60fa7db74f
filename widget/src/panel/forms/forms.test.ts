// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Options } from "../../settings/options.ts";
import { loadLanguage } from "../../text/i18n.ts";
import { isRemembered } from "../base/remembered.ts";
import { createFixture, drawn, type Fixture, own } from "../base/ui.fixture.ts";
import { Card, Foot, Offer, Status } from "./forms.tsx";

let on: Fixture;
let view: HTMLElement;
const open = async (options: Options, part: typeof Foot): Promise<void> => {
  on = await createFixture(options);
  view = on.show(part);
  await drawn();
};
const field = (name: string): HTMLInputElement => view.querySelector(`[name=${name}]`) as HTMLInputElement;
const submit = async (): Promise<void> => {
  view.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await drawn();
  await drawn();
};
const wrong = (): string | null | undefined => view.querySelector("[id^=form-wrong]")?.textContent;
const leads = (): unknown[] => on.chat.calls.filter(([name]) => name === "submit").map(([, form]) => form);

/** Path and language of the test page. */
const WHERE = { page: location.pathname, locale: "en" };

beforeEach(() => localStorage.clear());
afterEach(() => on.stop());

describe("the form before the first message", () => {
  const options = { prechat: ["name", "email", "phone?"] };

  it("replaces the composer until it is filled in", async () => {
    await open(options, Foot);
    expect(on.ui.asking.value).toBe(true);
    expect(view.querySelector(".form")).not.toBeNull();
    field("name").value = "Ada";
    field("email").value = "ada@example.com";
    await submit();
    expect(leads()).toEqual([{ t: "lead", chat: true, firstName: "Ada", email: "ada@example.com", ...WHERE }]);
    expect(view.querySelector(".form")).toBeNull();
    expect(on.ui.asking.value).toBe(false);
  });

  it("names a missing answer, and focuses its field", async () => {
    await open(options, Foot);
    field("name").value = "Ada";
    await submit();
    expect(wrong()).toBe("Please fill in this field.");
    expect(on.root.activeElement).toBe(field("email"));
    expect(field("email").getAttribute("aria-describedby")).toBe("form-wrong-email");
    expect(leads()).toEqual([]);
  });

  it("marks every invalid field until it is changed, announces one error, and focuses the first field", async () => {
    await open(options, Foot);
    const invalid = () => [...view.querySelectorAll("[aria-invalid=true]")].map((one) => one.getAttribute("name"));
    await submit();
    expect(invalid()).toEqual(["name", "email"]);
    expect(view.querySelectorAll("[id^=form-wrong]")).toHaveLength(2);
    expect(view.querySelectorAll("[role=alert]")).toHaveLength(1);
    expect(on.root.activeElement).toBe(field("name"));
    field("name").value = "Ada";
    field("name").dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    expect(invalid()).toEqual(["email"]);
    expect(on.root.activeElement).toBe(field("name"));
  });

  it("shows an error from the relay at its field", async () => {
    await open({ prechat: ["phone"] }, Foot);
    on.chat.submit = () => Promise.resolve("invalid_phone");
    field("phone").value = "12";
    await submit();
    expect(wrong()).toMatch(/country code/);
  });

  it("has the site's custom fields, and adds their values to the conversation", async () => {
    const customFields = {
      order: { label: "Order number" },
      topic: { label: "Topic", type: "choice", choices: ["Returns", "Delivery"] },
      news: { label: "Send me news", type: "checkbox" },
      note: { label: "Note", type: "long" },
    } as const;
    await open({ prechat: ["name", "order", "topic", "news?", "note?", "unknown"], customFields }, Foot);
    expect([...view.querySelectorAll("label")].map((node) => node.textContent)).toEqual([
      "Name",
      "Order number",
      "Topic",
      "Send me news (optional)",
      "Note (optional)",
    ]);
    field("name").value = "Ada";
    await submit();
    expect([wrong(), on.root.activeElement]).toEqual(["Please fill in this field.", field("order")]);
    field("order").value = "1234";
    field("topic").value = "Returns";
    field("news").checked = true;
    on.chat.send = (text) => {
      on.chat.calls.push(["send", text]);
      on.chat.items.value = [own(text, { id: "sent-1" })];
      return "sent-1";
    };
    await submit();
    await expect.poll(() => view.querySelector(".form")).toBeNull();
    expect(leads()).toEqual([{ t: "lead", chat: true, firstName: "Ada", ...WHERE }]);
    expect(on.chat.calls.at(-1)).toEqual(["send", "Order number: 1234\nTopic: Returns\nSend me news: Yes"]);
  });

  it("is prefilled with values from the page, which the visitor can change", async () => {
    const customFields = { order: { label: "Order number" } };
    await open(
      { prechat: ["email", "order"], customFields, prefill: { email: "ada@shop.example", order: "77" } },
      Foot,
    );
    expect([field("email").value, field("order").value]).toEqual(["ada@shop.example", "77"]);
  });

  it("ignores a custom field with an incomplete definition", async () => {
    const customFields = { a: { label: "" }, b: { label: "B", type: "choice" }, c: null } as never;
    await open({ prechat: ["a", "b", "c", "name"], customFields }, Foot);
    expect([...view.querySelectorAll("[name]")].map((node) => node.getAttribute("name"))).toEqual(["name"]);
  });

  it("is not shown to visitors with a conversation, and never twice", async () => {
    await open(options, Foot);
    on.chat.items.value = [own("Hello")];
    await drawn();
    expect(view.querySelector(".form")).toBeNull();
    on.stop();
    await open(options, Foot);
    field("name").value = "Ada";
    field("email").value = "ada@example.com";
    await submit();
    on.stop();
    await open(options, Foot);
    expect(view.querySelector(".form")).toBeNull();
  });

  it("is shown again to the next visitor after a logout", async () => {
    await open({ prechat: ["name"] }, Foot);
    field("name").value = "Ada";
    await submit();
    expect([view.querySelector(".form"), isRemembered(on.ui, "prechat")]).toEqual([null, true]);
    localStorage.clear();
    on.chat.ready.value = false;
    await drawn();
    expect(view.querySelector(".form")).not.toBeNull();
  });

  it("allows browsers to autofill its fields", async () => {
    await open(options, Foot);
    expect([...view.querySelectorAll("input")].map((input) => [input.type, input.autocomplete])).toEqual([
      ["text", "given-name"],
      ["email", "email"],
      ["tel", "tel"],
    ]);
  });
});

/** Fields sent with an address for mailed replies: the page to which mails link, and their language. */
const FOR_REPLIES = { reply: true, ...WHERE };

describe("the card after the first message", () => {
  it("appears after the first stored message, and sends the address", async () => {
    await open({ capture: ["email"] }, Card);
    expect(view.textContent).toBe("");
    on.chat.items.value = [own("Hello")];
    await drawn();
    expect(view.textContent).toMatch(/Leave your email/);
    field("email").value = "ada@example.com";
    await submit();
    expect(leads()).toEqual([{ t: "lead", chat: true, email: "ada@example.com", ...FOR_REPLIES }]);
    expect(view.textContent).toBe("Thanks, saved!");
  });

  it("is not shown again once it was declined", async () => {
    await open({ capture: ["email"] }, Card);
    on.chat.items.value = [own("Hello")];
    await drawn();
    [...view.querySelectorAll("button")].find((button) => button.textContent === "No, thanks")?.click();
    await drawn();
    expect(view.textContent).toBe("");
    on.stop();
    await open({ capture: ["email"] }, Card);
    on.chat.items.value = [own("Hello")];
    await drawn();
    expect(view.textContent).toBe("");
  });
});

describe("a detail that is known already, from a form or a signed identity,", () => {
  const setKnownDetails = async (): Promise<void> => {
    on.chat.email.value = true;
    on.chat.name.value = "Ada";
    await drawn();
  };

  it("is not asked for again before the first message", async () => {
    await open({ prechat: ["name", "email", "phone?"] }, Foot);
    await setKnownDetails();
    expect([...view.querySelectorAll("input")].map(({ name }) => name)).toEqual(["phone"]);
    on.stop();
    await open({ prechat: ["email"] }, Foot);
    await setKnownDetails();
    expect([view.querySelector(".form"), on.ui.asking.value]).toEqual([null, false]);
  });

  it.each([
    ["after it", { capture: ["email"] }, Card],
    ["after a long wait", {}, Offer],
  ] as const)("is not asked for again %s, until it is no longer known", async (_when, options, part) => {
    await open(options as Partial<Options>, part);
    on.chat.items.value = [own("Hello")];
    await setKnownDetails();
    expect(view.textContent).toBe("");
    on.chat.email.value = undefined;
    await drawn();
    expect(view.querySelectorAll("[name=email]")).toHaveLength(1);
  });

  it("is not asked for again outside business hours: the message is sent with the request for a mailed reply", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.UTC(2026, 0, 5, 18) });
    await open({ hours: { timeZone: "UTC", mon: "9:00-17:00" } }, Foot);
    await setKnownDetails();
    on.chat.items.value = [own("Where is my lamp?", { id: "id" })];
    on.chat.draft.value = "Where is my lamp?";
    await drawn();
    expect(view.querySelectorAll("input")).toHaveLength(0);
    await submit();
    expect(leads()).toEqual([{ t: "lead", chat: true, ...FOR_REPLIES }]);
    await expect.poll(() => view.textContent).toMatch(/We've got your message/);
    vi.useRealTimers();
  });
});

describe("a form that the service refuses after it was closed", () => {
  it("is shown again with the refused field and its error, and its correction has the same id", async () => {
    await open({ prechat: ["phone"] }, Card);
    expect(view.textContent).toBe("");
    on.chat.refused.value = { id: "the-same-form", field: "phone" };
    await drawn();
    expect(wrong()).toMatch(/country code/);
    field("phone").value = "+49 30 1234567";
    await submit();
    expect(on.chat.calls).toContainEqual([
      "submit",
      { t: "lead", chat: true, phone: "+49 30 1234567", ...WHERE },
      "the-same-form",
    ]);
    expect(view.textContent).toBe("");
  });
});

describe("a field", () => {
  it("has the page's text direction while it is empty, then the direction of its text", async () => {
    await open({ prechat: ["name"] }, Foot);
    const name = field("name");
    expect(name.dir).toBe("");
    name.value = "Ada";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    expect(name.dir).toBe("auto");
    name.value = "";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    expect(name.dir).toBe("");
  });
});

/** The time zone of this machine, because days and times are shown in the visitor's time zone. */
const HERE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

describe("outside business hours", () => {
  it("is replaced by the composer when the site opens, without a reload", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.UTC(2026, 0, 5, 8, 58) });
    await open({ hours: { timeZone: "UTC", mon: "9:00-17:00" } }, Foot);
    expect(view.querySelector(".form")).not.toBeNull();
    vi.advanceTimersByTime(3 * 60_000);
    await drawn();
    expect(view.querySelector(".form")).toBeNull();
    expect(on.ui.asking.value).toBe(false);
    vi.useRealTimers();
  });

  /** A Sunday evening. */
  const openWhileClosed = async (): Promise<void> => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: new Date(2026, 0, 4, 18) });
    await open({ hours: { timeZone: HERE, mon: "9:00-17:00" } }, Foot);
  };
  const write = (text: string): void => {
    const area = field("text");
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  /** Sets the state of the message, under the id that the chat gave it. */
  const setMessageState = (state: "queued" | "sent" | "failed", more: object = {}): void => {
    on.chat.items.value = [own("Where is my lamp?", { id: "id", state, ...more })];
  };
  afterEach(() => vi.useRealTimers());

  it("accepts a message and an address, and says when people are back", async () => {
    await openWhileClosed();
    setMessageState("sent");
    expect(view.textContent).toMatch(/^We'll be back tomorrow at 9:00\sAM/);
    field("email").value = "ada@example.com";
    write("Where is my lamp?");
    await submit();
    expect(leads()).toEqual([{ t: "lead", chat: true, email: "ada@example.com", ...FOR_REPLIES }]);
    expect(on.chat.calls).toContainEqual(["send", "Where is my lamp?"]);
    expect(view.textContent).toMatch(/We've got your message/);
    expect(on.chat.draft.value).toBe("");
  });

  it("confirms a message only once the relay has stored it, and says until then that it waits", async () => {
    await openWhileClosed();
    on.chat.link.value = "offline";
    setMessageState("queued", { pos: undefined });
    field("email").value = "ada@example.com";
    write("Where is my lamp?");
    await submit();
    expect(view.querySelector(".counter")?.textContent).toBe("Waiting to send");
    expect(on.said).toEqual(["Waiting to send"]);
    expect(view.textContent).not.toMatch(/We've got your message/);
    on.chat.link.value = "online";
    setMessageState("sent");
    await drawn();
    await drawn();
    expect(view.textContent).toMatch(/We've got your message/);
  });

  it("keeps a message that failed, with the reason, in one place", async () => {
    await openWhileClosed();
    setMessageState("failed", { pos: undefined, reason: "rate_limited" });
    field("email").value = "ada@example.com";
    write("Where is my lamp?");
    await submit();
    await expect.poll(() => wrong()).toBe("Not sent. You were sending messages too quickly.");
    expect(field("text").value).toBe("Where is my lamp?");
    expect(on.chat.calls).toContainEqual(["remove", "id"]);
  });

  it("reports a message that is too long before sending it", async () => {
    await openWhileClosed();
    write("y".repeat(3_990));
    await drawn();
    expect(view.querySelector("#form-left")?.textContent).toBe("10 characters left");
    write("y".repeat(4_200));
    field("email").value = "ada@example.com";
    await submit();
    expect(wrong()).toBe("200 characters over the limit");
    expect(on.chat.calls).toEqual([]);
    write("y".repeat(4_001));
    await drawn();
    expect(wrong()).toBeUndefined();
    expect(view.querySelector("#form-left")?.textContent).toBe("1 character over the limit");
  });

  it("passes an unfinished text to the composer when the site opens", async () => {
    await openWhileClosed();
    write("Where is");
    expect(on.chat.draft.value).toBe("Where is");
  });
});

/** The form's heading, with plain spaces. */
const headingOf = (form: Element): string | undefined => form.querySelector("h3")?.textContent?.replace(/\s/gu, " ");

describe("the heading with the next opening", () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ["Saturday", new Date(2026, 0, 3, 12), "We'll be back Monday at 9:00 AM"],
    ["Sunday before midnight", new Date(2026, 0, 4, 23, 59), "We'll be back tomorrow at 9:00 AM"],
    ["Monday after midnight", new Date(2026, 0, 5, 0, 1), "We'll be back today at 9:00 AM"],
    ["Monday evening, a week before it opens", new Date(2026, 0, 5, 18), "We'll be back Monday, January 12 at 9:00 AM"],
  ])("names the day unambiguously on %s", async (_when, now, title) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now });
    const hours = { timeZone: HERE, mon: "9:00-17:00" };
    await open({ hours }, Foot);
    expect(headingOf(view)).toBe(title);
    expect(view.querySelector("h3")?.textContent).toMatch(/9:00[\u00a0\u202f]AM$/);
    on.stop();
    await open({ hours }, Status);
    expect(view.textContent).toBe("AI assistant\u00a0· We're away right now");
    expect([...view.querySelectorAll(".whole")].map((part) => part.textContent)).toEqual([
      "AI assistant",
      "\u00a0· We're away right now",
    ]);
  });

  it("says once that nobody is there when no opening is known", async () => {
    const hours = { timeZone: HERE, mon: "" };
    await open({ hours }, Foot);
    expect(headingOf(view)).toBe("We're away right now");
    on.stop();
    await open({ hours }, Status);
    expect(view.textContent).toBe("AI assistant");
  });

  it.each([
    ["ja", 3, "月曜日 9:00に再開します"],
    ["ko", 3, "월요일 오전 9:00부터 다시 운영해요"],
    ["de", 3, "Wir sind ab Montag, 09:00 Uhr wieder da"],
    ["de", 4, "Wir sind morgen ab 09:00 Uhr wieder da"],
    ["el", 3, "Επιστρέφουμε: Δευτέρα 9:00 π.μ."],
    ["vi", 3, "Chúng tôi sẽ trở lại lúc 09:00 Thứ Hai"],
    ["vi", 4, "Chúng tôi sẽ trở lại lúc 09:00 ngày mai"],
  ])("puts day and time correctly into a sentence in %s on January %i", async (tag, day, title) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: new Date(2026, 0, day, 12) });
    const { messages } = await import(`../../locales/${tag}.ts`);
    await open({ hours: { timeZone: HERE, mon: "9:00-17:00" } }, Foot);
    Object.assign(on.ui.language, { value: { ...(await loadLanguage("en", messages)), region: tag } });
    await drawn();
    expect(headingOf(view)).toBe(title);
  });

  it("uses the site's hours when the page's hours are invalid", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.UTC(2026, 0, 5, 18) });
    await open({ hours: { timeZone: "UTC", mon: "9:00-25:99" } }, Foot);
    expect(view.querySelector(".form")).toBeNull();
    on.stop();
    on = await createFixture({ hours: { timeZone: "UTC", mon: "9:00-25:99" } });
    on.ui.shell.site.hours = { timeZone: "UTC", tue: "9:00-17:00" };
    view = on.show(Foot);
    await drawn();
    expect(view.querySelector(".form")).not.toBeNull();
  });
});

// @vitest-environment happy-dom
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, describe, expect, it } from "vitest";
import { browserPage } from "../conversation/page.ts";
import { openStorage } from "../conversation/storage.ts";
import { checkedSettings, mergeLayers } from "../settings/options.ts";
import { loadLanguage } from "../text/i18n.ts";
import { element } from "./dom.ts";
import { pageFunction, pageSettings } from "./page-api.ts";
import { declarations } from "./theme.ts";

const put = (name: string, value: unknown): unknown =>
  Object.defineProperty(window, name, { value, configurable: true, writable: true });

afterEach(() => {
  for (const name of ["PorchlightSettings", "Porchlight"]) delete (window as unknown as Record<string, unknown>)[name];
});

describe("a property of the window", () => {
  it("is used as settings only if the page has set it on the window itself", () => {
    put("PorchlightSettings", { accent: "#123456" });
    expect(pageSettings()).toEqual({ accent: "#123456" });
    delete window.PorchlightSettings;
    // Browsers find elements and frames by their names in the prototype chain.
    const chain = Object.getPrototypeOf(window) as Window;
    chain.PorchlightSettings = { relay: "http://foreign.example" };
    expect([window.PorchlightSettings, pageSettings()]).toEqual([{ relay: "http://foreign.example" }, undefined]);
    delete chain.PorchlightSettings;
  });

  it.each([
    ["a form", document.createElement("form")],
    ["links", document.links],
    ["the window", window],
    ["a text", "text"],
    ["a function", () => {}],
    ["null", null],
  ])("gives no settings when it is %s", (_, value) => {
    put("PorchlightSettings", value);
    const { relay, title, accent } = mergeLayers(false, pageSettings());
    expect([relay, title, accent]).toEqual([undefined, undefined, undefined]);
  });

  it("is used as the chat's function only if it is a function", () => {
    const stub = Object.assign(() => {}, { q: [] });
    put("Porchlight", stub);
    expect(pageFunction()).toBe(stub);
    for (const other of [document.createElement("form"), document.createElement("embed"), { q: [] }, null]) {
      put("Porchlight", other);
      expect(pageFunction()).toBeUndefined();
    }
  });
});

describe("a polluted Object.prototype", () => {
  const polluted = {
    launcher: "none",
    sound: false,
    onclick: "run()",
    close: "Polluted",
    token: "polluted",
    extra: "x",
  };
  const pollute = <Result>(run: () => Result): Result => {
    Object.assign(Object.prototype, polluted);
    try {
      return run();
    } finally {
      for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
    }
  };

  it("is not read as a setting", () => {
    const site = { ...DEFAULT_SITE, title: "Shop" };
    const [raw, clean] = pollute(() => [mergeLayers(false, site, {}, undefined), checkedSettings({}, site)] as const);
    expect(raw.launcher).toBeUndefined();
    expect(Object.keys(clean)).not.toContain("extra");
    expect(pollute(() => checkedSettings(mergeLayers(false, site), site)).sound).toBe(true);
  });

  it("is not read as the page's settings", () => {
    Object.assign(polluted, { PorchlightSettings: { relay: "http://foreign.example", title: "Polluted" } });
    expect(pollute(() => pageSettings())).toBeUndefined();
  });

  it("is not read as an attribute of an element, a colour, a text or a stored value", async () => {
    const language = await loadLanguage("en");
    expect(pollute(() => element("button", { class: "a" }).outerHTML)).toBe('<button class="a"></button>');
    expect(pollute(() => declarations({ ink: "#000" }))).toBe("--_ink:var(--porch-light-ink,#000)!important;");
    expect(pollute(() => language.t("close"))).toBe("Close chat");
    const port = () => ({ getItem: () => "{}", setItem() {}, removeItem() {} });
    expect(pollute(() => openStorage("shop", browserPage, port).read()).token).toBe("");
  });
});

import { describe, expect, it, vi } from "vitest";
import { rare } from "../locales/en.rare.ts";
import { en } from "../locales/en.ts";
import { addEnglish, chooseLanguage, loadLanguage, regionOf, translator } from "./i18n.ts";

describe("the language of a visitor", () => {
  const offered = ["en", "de", "pt", "pt-BR", "zh-Hans", "zh-Hant", "nb", "he"];
  it.each([
    [["de-AT"], "de"],
    [["pt-BR"], "pt-BR"],
    [["pt-PT"], "pt"],
    [["zh-TW"], "zh-Hant"],
    [["zh-HK"], "zh-Hant"],
    [["zh"], "zh-Hans"],
    [["zh-SG"], "zh-Hans"],
    [["no"], "nb"],
    [["nn-NO"], "nb"],
    [["iw"], "he"],
    [["de_DE"], "de"],
    [["pt-br"], "pt-BR"],
    [["xx", "de"], "de"],
    [["", "not a tag!", "de-CH"], "de"],
    [["xx"], "en"],
    [[], "en"],
  ])("for %j is %s", (wanted, tag) => expect(chooseLanguage(wanted, offered)).toBe(tag));
});

describe("the region of a visitor", () => {
  it.each([
    ["en", ["en", "en-GB", "en-US"], "en-GB"],
    ["en", ["en_IE"], "en-IE"],
    ["de", ["fr-FR", "de-CH"], "de-CH"],
    ["zh-Hant", ["zh-CN", "zh-HK"], "zh-HK"],
    ["sr-Latn", ["sr-RS"], "sr-Latn"],
    ["en", ["xx-YY", "not a-tag!", ""], "en"],
    ["nb", ["no-NO"], "no-NO"],
    ["de", [], "de"],
  ])("for %s, wanted %j, is %s", (tag, wanted, region) => expect(regionOf(tag, wanted)).toBe(region));

  it("decides the format of numbers and dates, not the words", async () => {
    const { t, tag, region } = await loadLanguage("en", {}, ["en", "en-IN"]);
    expect([tag, region, t("newMessages", { n: 123456 })]).toEqual(["en", "en-IN", "1,23,456 new messages"]);
  });
});

describe("texts", () => {
  it("insert names and numbers, and use the language's plural forms", () => {
    const t = translator("en", {});
    expect(t("newMessages", { n: 1 })).toBe("1 new message");
    expect(t("newMessages", { n: 1200 })).toBe("1,200 new messages");
    expect(t("said", { author: "Ada", text: "{n} $& \\1" })).toBe("Ada said: {n} $& \\1");
  });

  it("use every plural form that a language has", () => {
    const newMessages = { one: "{n} nowa", few: "{n} nowe", many: "{n} nowych", other: "{n} nowej" };
    const t = translator("pl", { newMessages });
    expect([1, 3, 5].map((n) => t("newMessages", { n }))).toEqual(["1 nowa", "3 nowe", "5 nowych"]);
  });

  it("create the formats of numbers with the first number", () => {
    const plural = vi.spyOn(Intl, "PluralRules");
    const number = vi.spyOn(Intl, "NumberFormat");
    const t = translator("en", {});
    expect(t("close")).toBe("Close chat");
    expect([plural, number].map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
    expect(t("unread", { n: 1_200 })).toBe("1,200 unread messages");
    expect(plural).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });

  it("are English if the language lacks them", () => {
    expect(translator("de", { send: "Senden" })("retry")).toBe("Retry");
  });

  it("can be replaced by the site", async () => {
    const { t, tag, dir } = await loadLanguage("en", { send: "Off you go" });
    expect([t("send"), tag, dir]).toEqual(["Off you go", "en", "ltr"]);
  });

  it("are fetched when needed, with the direction of the language", async () => {
    const messages: string[] = [];
    messages[Object.keys(en).indexOf("send")] = "أرسل";
    const { t, tag, dir } = await loadLanguage("ar", {}, [], async () => ({ messages }));
    expect([t("send"), t("retry"), tag, dir]).toEqual(["أرسل", "Retry", "ar", "rtl"]);
  });

  it("of rarer parts are fetched once, with the first such part, and are English until then", async () => {
    const asked: string[] = [];
    let reachable = false;
    const { t, loadRare } = await loadLanguage("ar", { retry: "?" }, [], async (name) => {
      asked.push(name);
      if (name !== "ar" && !reachable) throw new Error("offline");
      return { messages: Object.keys(name === "ar" ? en : rare).map((key) => `${key}!`) };
    });
    addEnglish(rare);
    await loadRare();
    expect([t("send"), t("forget")]).toEqual(["send!", rare.forget]);
    reachable = true;
    await Promise.all([loadRare(), loadRare()]);
    await loadRare();
    expect([t("retry"), t("send"), t("forget"), t("rateSend")]).toEqual(["?", "send!", "forget!", "rateSend!"]);
    expect(asked).toEqual(["ar", "ar.rare", "ar.rare", "ar.rare"]);
  });

  it("are English if the language cannot be fetched", async () => {
    const { tag, dir } = await loadLanguage("ar", {}, [], () => Promise.reject(new Error("offline")));
    expect([tag, dir]).toEqual(["en", "ltr"]);
  });
});

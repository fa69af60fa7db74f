import { DEFAULT_SITE, type PublicSite, servedSite } from "@porchlight/shared/site";
import { describe, expect, it } from "vitest";
import { checkedSettings, mergeLayers } from "./options.ts";
import { rareSettings } from "./rare-options.ts";

const uploads = { image: 1, av: 1, document: 1 };
const site = { ...DEFAULT_SITE, id: "shop", title: "Shop", accent: "#112233", suggestions: ["One?"], uploads };

describe("settings", () => {
  it("of a later layer override those of an earlier one: site, tag, page, update", () => {
    const all = mergeLayers(
      false,
      site,
      { title: "Tag", label: "Tag" },
      { label: "Page", teaser: "Page" },
      { teaser: "Update" },
    );
    expect(all).toMatchObject({ title: "Tag", label: "Page", teaser: "Update", accent: "#112233" });
  });

  it("keep the value of the earlier layer if a layer has undefined or null", () => {
    const page = { position: "left", label: "Page", phone: { label: null } };
    const all = mergeLayers(true, site, page, {
      position: undefined,
      accent: undefined,
      label: undefined,
      title: null,
    });
    expect(all).toMatchObject({ position: "left", accent: "#112233", label: "Page", title: "Shop" });
  });

  it("may differ on phones", () => {
    const page = { position: "left", phone: { position: "right", launcher: "text" } };
    expect(mergeLayers(true, site, page)).toMatchObject({ position: "right", launcher: "text" });
    expect(mergeLayers(false, site, page)).toMatchObject({ position: "left" });
  });

  it("convert attributes to their types", () => {
    const { sound, requireConsent, attachments, suggestions, hours } = checkedSettings(
      mergeLayers(false, site, {
        sound: "false",
        requireConsent: "",
        attachments: "true",
        suggestions: "A?|B?",
        hours: "9-5",
      }),
      site,
    );
    expect({ sound, requireConsent, attachments, suggestions, hours }).toEqual({
      sound: false,
      requireConsent: true,
      attachments: true,
      suggestions: ["A?", "B?"],
      hours: {},
    });
  });

  it("parse attributes with JSON, also for phones", () => {
    const tag = { hours: '{"timeZone":"UTC","mon":"9:00-17:00"}', phone: '{"title":"Small","offsetX":8}', title: "24" };
    expect(checkedSettings(mergeLayers(false, site, tag), site)).toMatchObject({
      title: "24",
      hours: { timeZone: "UTC", mon: "9:00-17:00" },
    });
    expect(mergeLayers(true, site, tag)).toMatchObject({ title: "Small", offsetX: 8 });
    expect(mergeLayers(true, site, { phone: "{" })).toMatchObject({ title: "Shop" });
  });

  it("come from the site's file and from the page", () => {
    const own = { ...site, sound: false, capture: ["email"], hours: { timeZone: "UTC", mon: "9:00-17:00" } };
    expect(checkedSettings(mergeLayers(false, own), own)).toMatchObject({
      sound: false,
      capture: ["email"],
      hours: own.hours,
    });
    expect(checkedSettings(mergeLayers(false, own, { capture: "phone" }), own).capture).toEqual(["phone"]);
  });

  it("of the site's file can be switched off by the page, also numbers", () => {
    const own = { ...site, replyMinutes: 60, rating: "five", topics: ["A"], askPerson: "person" } as const;
    const off = mergeLayers(false, own, { replyMinutes: "0", rating: "off", topics: "", askPerson: "" });
    expect(checkedSettings(off, own)).toMatchObject({ rating: "off", topics: [], askPerson: "" });
    const minutes = (page: object): number =>
      rareSettings({ shell: { settings: () => mergeLayers(false, own, page) }, settings: { value: 0 } }).replyMinutes;
    expect([minutes({}), minutes({ replyMinutes: "0" }), minutes({ replyMinutes: "soon" })]).toEqual([60, 0, 0]);
  });

  it("ignore invalid values and unknown names", () => {
    const wrong = { title: {}, suggestions: null, strings: "none", accent: {}, unknown: "value" };
    const checked = checkedSettings(mergeLayers(false, site, wrong), site);
    expect(checked).toMatchObject({ title: "Shop", suggestions: ["One?"], strings: {}, accent: "#112233" });
    expect(checked).not.toHaveProperty("unknown");
  });

  it("ignore invalid or empty entries of a list, and keep the others", () => {
    const wrong = {
      suggestions: " | |a||b",
      strings: { placeholder: 5, chat: "Ask us", send: { other: 1 }, title: null, authorAi: "", noticeAi: " " },
    };
    const checked = checkedSettings(mergeLayers(false, site, wrong), site);
    expect([checked.suggestions, checked.strings]).toEqual([["a", "b"], { chat: "Ask us" }]);
    expect(checkedSettings({ suggestions: ["One?", 5, null, " "] as never }, site).suggestions).toEqual(["One?"]);
  });

  it("switch attachments off if the relay accepts no files", () => {
    const { uploads: _, ...without } = site;
    expect(checkedSettings({}, without).attachments).toBe(false);
    expect(checkedSettings({}, site).attachments).toBe(true);
  });

  it("contain the key of their site", () => expect(checkedSettings({}, site).site).toBe("shop"));
});

it("settings are the same from the served site, which omits default values", () => {
  const chosen: PublicSite = { ...site, theme: "dark", greeting: "Hello", suggestions: [] };
  for (const full of [DEFAULT_SITE, chosen])
    expect(checkedSettings(mergeLayers(false, servedSite(full)), servedSite(full))).toEqual(checkedSettings({}, full));
  expect(Object.keys(servedSite(DEFAULT_SITE))).toEqual(["id", "accent"]);
});

import { DEFAULT_SITE, type PublicSite, servedSite } from "@porchlight/shared/site";
import { describe, expect, it } from "vitest";
import { layered, settled } from "./options.ts";

const uploads = { image: 1, av: 1, document: 1 };
const site = { ...DEFAULT_SITE, id: "shop", title: "Shop", accent: "#112233", suggestions: ["One?"], uploads };

describe("settings", () => {
  it("rise from the site over the tag and the page to what was updated", () => {
    const all = layered(
      false,
      site,
      { title: "Tag", label: "Tag" },
      { label: "Page", teaser: "Page" },
      { teaser: "Update" },
    );
    expect(all).toMatchObject({ title: "Tag", label: "Page", teaser: "Update", accent: "#112233" });
  });

  it("are as below where a layer leaves them undefined, or null", () => {
    const page = { position: "left", label: "Page", phone: { label: null } };
    const all = layered(true, site, page, { position: undefined, accent: undefined, label: undefined, title: null });
    expect(all).toMatchObject({ position: "left", accent: "#112233", label: "Page", title: "Shop" });
  });

  it("may differ on phones", () => {
    const page = { position: "left", phone: { position: "right", launcher: "text" } };
    expect(layered(true, site, page)).toMatchObject({ position: "right", launcher: "text" });
    expect(layered(false, site, page)).toMatchObject({ position: "left" });
  });

  it("read attributes as what they stand for", () => {
    const { sound, requireConsent, attachments, suggestions, hours } = settled(
      layered(false, site, {
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

  it("read attributes that hold JSON, for this page and for its phones", () => {
    const tag = { hours: '{"timeZone":"UTC","mon":"9:00-17:00"}', phone: '{"title":"Small","offsetX":8}', title: "24" };
    expect(settled(layered(false, site, tag), site)).toMatchObject({
      title: "24",
      hours: { timeZone: "UTC", mon: "9:00-17:00" },
    });
    expect(layered(true, site, tag)).toMatchObject({ title: "Small", offsetX: 8 });
    expect(layered(true, site, { phone: "{" })).toMatchObject({ title: "Shop" });
  });

  it("come from the site's own file as well as from the page", () => {
    const own = { ...site, sound: false, capture: ["email"], hours: { timeZone: "UTC", mon: "9:00-17:00" } };
    expect(settled(layered(false, own), own)).toMatchObject({ sound: false, capture: ["email"], hours: own.hours });
    expect(settled(layered(false, own, { capture: "phone" }), own).capture).toEqual(["phone"]);
  });

  it("pass over what does not fit, and what nobody knows", () => {
    const wrong = { title: {}, suggestions: null, strings: "none", accent: {}, unheard: "of" };
    const read = settled(layered(false, site, wrong), site);
    expect(read).toMatchObject({ title: "Shop", suggestions: ["One?"], strings: {}, accent: "#112233" });
    expect(read).not.toHaveProperty("unheard");
  });

  it("pass over an entry that is no text, or has none, and keep its neighbours", () => {
    const wrong = {
      suggestions: " | |a||b",
      strings: { placeholder: 5, chat: "Ask us", send: { other: 1 }, title: null, authorAi: "", noticeAi: " " },
    };
    const read = settled(layered(false, site, wrong), site);
    expect([read.suggestions, read.strings]).toEqual([["a", "b"], { chat: "Ask us" }]);
    expect(settled({ suggestions: ["One?", 5, null, " "] as never }, site).suggestions).toEqual(["One?"]);
  });

  it("take no files where the relay takes none", () => {
    const { uploads: _, ...without } = site;
    expect(settled({}, without).attachments).toBe(false);
    expect(settled({}, site).attachments).toBe(true);
  });

  it("know the key of their site", () => expect(settled({}, site).site).toBe("shop"));
});

it("are the same from a site as it is served, which leaves out what is default", () => {
  const chosen: PublicSite = { ...site, theme: "dark", greeting: "Hello", suggestions: [] };
  for (const whole of [DEFAULT_SITE, chosen])
    expect(settled(layered(false, servedSite(whole)), servedSite(whole))).toEqual(settled({}, whole));
  expect(Object.keys(servedSite(DEFAULT_SITE))).toEqual(["id", "accent", "locale"]);
});

import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "../records/sites.ts";
import { page } from "./page.ts";

async function languageOf(locale: string, accept?: string): Promise<string | undefined> {
  const site = {
    public: { ...DEFAULT_SITE, locale },
    account: "",
    origins: [],
    channel: "",
    business: "",
    campaign: undefined,
  };
  const door = page(createSites([site], () => []));
  const answer = await door.request(
    "/c/default",
    accept === undefined ? {} : { headers: { "Accept-Language": accept } },
  );
  return /<html lang="([^"]*)">/.exec(await answer.text())?.[1];
}

it("names the language that the browser asks for first, for the chat to speak", async () => {
  expect(await languageOf("auto", "de-AT,de;q=0.9,en;q=0.8")).toBe("de-AT");
  expect(await languageOf("auto", "zh-Hant-TW")).toBe("zh-Hant-TW");
});

it("names English where the browser asks for nothing that is a language", async () => {
  expect(await languageOf("auto")).toBe("en");
  expect(await languageOf("auto", "*")).toBe("en");
  expect(await languageOf("auto", '"><script>')).toBe("en");
});

it("names the language that the site has set, whatever the browser asks for", async () => {
  expect(await languageOf("ar", "de")).toBe("ar");
});

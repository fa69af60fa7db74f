import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "../records/sites.ts";
import { page } from "./page.ts";

const pageOf = (settings: Partial<typeof DEFAULT_SITE>) => {
  const own = { ...DEFAULT_SITE, ...settings };
  const site = { public: own, account: "", origins: [], channel: "", business: "", campaign: undefined };
  return page(createSites([site], () => []));
};

async function languageOf(locale: string, accept?: string): Promise<string | undefined> {
  const app = pageOf({ locale });
  const answer = await app.request(
    "/c/default",
    accept === undefined ? {} : { headers: { "Accept-Language": accept } },
  );
  return /<html lang="([^"]*)">/.exec(await answer.text())?.[1];
}

it("sets the language that the browser prefers, for the chat to use", async () => {
  expect(await languageOf("auto", "de-AT,de;q=0.9,en;q=0.8")).toBe("de-AT");
  expect(await languageOf("auto", "zh-Hant-TW")).toBe("zh-Hant-TW");
});

it("sets English when the browser names no valid language", async () => {
  expect(await languageOf("auto")).toBe("en");
  expect(await languageOf("auto", "*")).toBe("en");
  expect(await languageOf("auto", '"><script>')).toBe("en");
});

it("sets the site's configured language, whatever the browser prefers", async () => {
  expect(await languageOf("ar", "de")).toBe("ar");
});

it("shows a browser without scripts what the chat needs, with the site's title and colour", async () => {
  const text = await (await pageOf({ title: "Lamps & <more>", accent: "#fe0" }).request("/c/default")).text();
  const [, noscript = ""] = /<noscript>(.*)<\/noscript>/s.exec(text) ?? [];
  expect(noscript).toContain("<h1>Lamps &amp; &lt;more&gt;</h1>");
  expect(noscript).toContain("needs JavaScript");
  expect(text).toContain("--accent:#ffee00;--on-accent:#111");
});

it("says in the visitor's language what the chat needs", async () => {
  const ask = async (accepted: string, locale = "auto") => {
    const headers = { Accept: "text/html", "Accept-Language": accepted };
    return (await pageOf({ locale }).request("/c/default", { headers })).text();
  };
  const [, german = ""] = /<noscript>(.*)<\/noscript>/s.exec(await ask("de-AT")) ?? [];
  expect(german).toContain("<h1>Chatten Sie mit uns</h1>");
  expect(german).toContain('lang="de" dir="ltr"');
  expect(await ask("de", "fa")).toContain('class="notice" lang="fa" dir="rtl"');
});

it("allows nothing but the relay's own scripts and connections, and no markup made of texts (A14)", async () => {
  const policy = (await pageOf({}).request("/c/default")).headers.get("content-security-policy") ?? "";
  expect(policy.replace(/'nonce-[\w-]{36}'/, "'nonce'").split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'nonce'",
    "connect-src 'self'",
    "img-src 'self' blob: https:",
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "frame-ancestors 'self'",
  ]);
});

it("gives each page a nonce of its own, and marks its only style with it (A14)", async () => {
  const answers = [await pageOf({}).request("/c/default"), await pageOf({}).request("/c/default")];
  const nonces = answers.map(
    ({ headers }) => /'nonce-([\w-]{36})'/.exec(headers.get("content-security-policy") ?? "")?.[1],
  );
  expect(new Set(nonces).size).toBe(2);
  for (const [n, answer] of answers.entries())
    expect((await answer.text()).match(/<style[^>]*>/g)).toEqual([`<style nonce="${nonces[n]}">`]);
});

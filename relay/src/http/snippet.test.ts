import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { RelayError } from "../base/errors.ts";
import { createSites } from "../records/sites.ts";
import { snippet } from "./snippet.ts";

const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
writeFileSync(join(folder, "manifest.json"), JSON.stringify({ snippet: "assets/snippet-1.js" }));

function snippetApp(settings: object, origins: string[] = []) {
  const known = { account: "", origins, channel: "", business: "", campaign: undefined };
  const site = { ...known, public: { ...DEFAULT_SITE, ...settings } };
  const app = snippet({
    sites: createSites([site], () => []),
    relay: "",
    address: () => "https://chat.example.com",
    folder,
  });
  app.onError((error, c) => c.text(error.message, error instanceof RelayError ? (error.status as 404) : 500));
  return app;
}
const textOf = async (settings: object, origins?: string[]): Promise<string> =>
  (await snippetApp(settings, origins).request(`/c/${"id" in settings ? settings.id : "default"}/snippet`)).text();

it("shows the tag without running a script", async () => {
  expect(await textOf({})).toContain(
    "&lt;script async src=&quot;https://chat.example.com/widget.js&quot; data-site=&quot;default&quot;&gt;",
  );
  expect(await textOf({ id: "shop" })).toContain("https://chat.example.com/w/shop.js");
});

it("escapes a site's texts, so that they cannot leave their element", async () => {
  const title = "</script><script>alert(1)</script>";
  const text = await textOf({ title });
  expect(text.match(/<script/g)).toHaveLength(3);
  const [, data = ""] = /id="site">(.*?)<\/script>/s.exec(text) ?? [];
  expect(JSON.parse(data)).toMatchObject({ site: { title } });
});

it("says when no page may open the chat, and its policy allows only its own script", async () => {
  expect(await textOf({})).toContain("ALLOWED_ORIGINS");
  expect(await textOf({}, ["https://shop.example"])).not.toContain("ALLOWED_ORIGINS");
  const { headers } = await snippetApp({}).request("/c/default/snippet");
  expect(headers.get("content-security-policy")).toMatch(
    /default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/,
  );
});

it("answers 404 for an unknown site", async () => {
  expect((await snippetApp({}).request("/c/other/snippet")).status).toBe(404);
});

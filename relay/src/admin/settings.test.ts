import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSettings } from "../base/config.ts";
import { settingsList } from "./settings.ts";

/** The rows of sites and accounts on the page, as texts: owner, name, value, origin. */
function rowsOf(env: Record<string, string>): string[] {
  const read = readSettings(env);
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const page = String(settingsList(read.settings, read.settings.sites));
  const rows = [...page.slice(page.indexOf("<h2>Accounts")).matchAll(/<tr>(<td.*?)<\/tr>/gs)];
  return rows.map(([, row = ""]) => row.replaceAll(/(<[^>]+>)+/g, "|"));
}

it("names the origin of each value of sites and accounts: the file, or the variable, but no default", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-settings-"));
  const file = join(folder, "sites.json");
  const accounts = { main: { url: "https://service.example/v1", key: "env:MAIN_KEY" } };
  const shop = { account: "main", origins: ["https://shop.example"], leadsPerDay: 500, retention: { files: 30 } };
  writeFileSync(file, JSON.stringify({ accounts, sites: { shop } }));
  const env = { PORCHLIGHT_CONFIG: file, MAIN_KEY: "k", MESSAGES_PER_DAY: "9000", RETENTION_DAYS: "files=90 mails=14" };
  expect(rowsOf(env)).toEqual([
    "|main|url|https://service.example/v1|configuration file|",
    "|main|key|set; not shown|configuration file|",
    "|shop|origins|[&quot;https://shop.example&quot;]|configuration file|",
    "|shop|messagesPerDay|9000|MESSAGES_PER_DAY|",
    "|shop|leadsPerDay|500|configuration file|",
    "|shop|retention|{&quot;files&quot;:30,&quot;mails&quot;:14}|configuration file, RETENTION_DAYS|",
  ]);
  rmSync(folder, { recursive: true });
});

it("names the variables of the environment where there is no configuration file", () => {
  const env = { SERVICE_URL: "https://service.example/v1", SERVICE_API_KEY: "k", SITE_TITLE: "Shop" };
  expect(rowsOf(env)).toEqual([
    "|default|url|https://service.example/v1|SERVICE_URL|",
    "|default|key|set; not shown|SERVICE_API_KEY|",
    "|default|title|Shop|SITE_TITLE|",
  ]);
});

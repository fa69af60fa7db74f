/**
 * Checks that each setting is read by code that acts on it, outside the tables that define and check settings, and that each
 * event of the log is logged.
 */

import { describe, expect, it } from "vitest";
import { readSettings } from "../../relay/src/base/config.ts";
import { LOG_EVENTS } from "../../relay/src/base/log.ts";
import * as rules from "../../relay/src/base/rules.ts";
import { fileFields } from "../../relay/src/base/settings/file.ts";
import { TABLE } from "../../relay/src/base/settings/table.ts";
import { SETTINGS } from "../../shared/settings.ts";
import { isTest, sources } from "./sources.ts";

/** Files that define, check or list settings. A setting that only they name has no effect. */
const TABLES =
  /^(shared\/(settings|site)\.ts|relay\/src\/base\/(settings\/|rules\.ts)|widget\/src\/(settings|tag-page|locales)\/)/;

const code = sources(".ts", ".tsx")
  .filter(({ path }) => /^(shared|relay\/src|widget\/src)\//.test(path) && !TABLES.test(path) && !isTest(path))
  .map(({ path, text }) => ({ path, text: text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "") }));

/** Fields that the code reads under another name. */
const READ_AS: Readonly<Record<string, string>> = { identityKeys: "jwks", emails: "mappedEmail" };

/** Names that no code under `folder` reads, as a property or by destructuring. */
function unread(names: readonly string[], folder: string, files = code): string[] {
  const text = files.flatMap(({ path, text }) => (path.startsWith(folder) ? text : [])).join("\n");
  return names.filter((name) => !new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\s*[,:}=]`).test(text));
}

describe("a setting that nothing reads", () => {
  it("of the environment does not exist", () => expect(unread(Object.keys(TABLE), "relay/src/")).toEqual([]));

  it("is not only copied from the environment: code outside config.ts reads each field of Settings", () => {
    const read = readSettings({ SERVICE_URL: "https://service.example/v1", SERVICE_API_KEY: "a-key" });
    const settings = "settings" in read ? read.settings : {};
    expect(Object.keys(settings).length).toBeGreaterThan(30);
    const users = code.filter(({ path }) => path !== "relay/src/base/config.ts");
    expect(unread(Object.keys(settings), "relay/src/", users)).toEqual([]);
  });

  it("of a site's chat does not exist", () => expect(unread(Object.keys(SETTINGS), "widget/src/")).toEqual([]));

  it("of the configuration file does not exist", () => {
    const inside = Object.values(rules).flatMap((rule) =>
      typeof rule === "object" && "shape" in rule ? Object.keys(rule.shape as object) : [],
    );
    expect(inside.length).toBeGreaterThan(10);
    const chat = Object.keys(SETTINGS);
    const fields = [...fileFields.account, ...fileFields.site, ...inside].filter((name) => !chat.includes(name));
    const read = fields.map((name) => READ_AS[name] ?? name);
    expect(unread(read, "relay/src/")).toEqual([]);
  });

  it("is found, although a comment or a longer name contains its name", () => {
    const files = [{ path: "relay/src/a.ts", text: "settings.rateWindow; const { lamp = 1 } = given;" }];
    expect(unread(["rate", "lamp", "rateWindow", "lost"], "relay/src/", files)).toEqual(["rate", "lost"]);
  });
});

it("each event of the log is logged", () => {
  const text = code.flatMap(({ path, text }) => (path === "relay/src/base/log.ts" ? [] : text)).join("\n");
  expect(LOG_EVENTS.filter((event) => !text.includes(`"${event}"`))).toEqual([]);
});

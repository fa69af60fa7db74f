import { expect, it } from "vitest";
import { judgedWebhooks, signedPerson } from "./backends.ts";
import { kinds } from "./guides.ts";

/** Where each kind of snippet is run or checked. A new kind needs a test. */
const CHECKED: Record<string, string> = {
  "js identity": "here, and guides.full.test.ts for the other languages",
  ...Object.fromEntries(["python", "php", "ruby", "go"].map((name) => [`${name} identity`, "guides.full.test.ts"])),
  "js webhook": "here",
  "python webhook": "guides.full.test.ts",
  "php webhook": "guides.full.test.ts",
  "php wordpress": "guides.full.test.ts",
  ...Object.fromEntries(
    ["html page", "html tag", "html gtm", "html turbo", "html webview", "js react", "js vue", "js next"]
      .concat("json articles", "html help")
      .map((name) => [name, "browser/guides.test.ts"]),
  ),
  "sh start": "guides.full.test.ts",
  "sh look": "guides.full.test.ts",
  "sh rehearsal": "guides.full.test.ts",
  "sh service": "guides.full.test.ts",
  "json alert": "alerts.test.ts",
  ...Object.fromEntries(
    ["sh environment", "sh sandbox", "sh relay", "sh examples", "sh example", "sh trial", "js backend"]
      .concat("json file", "json site", "json account")
      .map((name) => [name, "readme.test.ts"]),
  ),
};

it("has a test for every kind of snippet in the guides", () => {
  expect(kinds().filter((kind) => !(kind in CHECKED))).toEqual([]);
});

it("signs identities that the relay accepts, in Node", async () => {
  expect(await signedPerson("js")).toMatchObject({ subject: "7", email: "ada@example.com" });
});

it("distinguishes genuine webhooks from forged and old ones, in Node", () => {
  expect(judgedWebhooks("js")).toEqual(["yes", "yes", "no", "no", "no", "no"]);
});

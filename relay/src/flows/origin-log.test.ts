import { CLOSE } from "@porchlight/shared/close";
import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "../records/sites.ts";
import { createOriginLog } from "./origin-log.ts";

function listen() {
  const lines: object[] = [];
  const site = { account: "main", origins: ["https://shop.example"], channel: "website", business: "default" };
  const sites = createSites([{ ...site, campaign: undefined, public: DEFAULT_SITE }], () => []);
  return { lines, ...createOriginLog(sites, (event, details) => lines.push({ event, ...details })) };
}

it("logs only once that no site allows an origin", () => {
  const { lines, allows } = listen();
  expect(allows("https://shop.example")).toBe(true);
  for (let n = 0; n < 3; n++) expect(allows("https://www.shop.example")).toBe(false);
  expect(lines).toEqual([{ event: "origin.refused", origin: "https://www.shop.example" }]);
});

it("names the site that does not allow the origin, if there is one", async () => {
  const { lines, logging } = listen();
  const open = logging(async () => CLOSE.notAllowed);
  const hello = { t: "hello", v: PROTOCOL } as const;
  for (const site of [DEFAULT_SITE.id, DEFAULT_SITE.id, "nowhere"])
    expect(await open({ ...hello, site }, "https://b.example")).toBe(CLOSE.notAllowed);
  await logging(async () => CLOSE.badToken)({ ...hello, site: DEFAULT_SITE.id }, "https://c.example");
  expect(lines).toEqual([{ event: "origin.refused", origin: "https://b.example", site: DEFAULT_SITE.id }]);
});

it("logs only valid origins", () => {
  const { lines, allows } = listen();
  const origins = ["null", "capacitor://localhost", "http://[::1]:3000", "https://xn--bcher-kva.example"];
  const others = ["", "shop.example", "https://a b", "https://a/path", `https://${"a".repeat(300)}`, "\nhttps://a"];
  for (const origin of [...origins, ...others]) allows(origin);
  expect(lines).toEqual(origins.map((origin) => ({ event: "origin.refused", origin })));
});

it("logs nothing after a hundred origins", () => {
  const { lines, allows } = listen();
  for (let n = 0; n < 1_000; n++) allows(`https://made-up-${n}.example`);
  expect(lines).toHaveLength(100);
});

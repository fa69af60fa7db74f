import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "../records/sites.ts";
import { serverApi } from "./api/index.ts";
import { createBodyBudget } from "./body-budget.ts";
import { page } from "./page.ts";
import { unsubscribePage } from "./unsubscribe.ts";

const origins = ["https://shop.example", "https://*.shop.example"];
const site = { public: DEFAULT_SITE, account: "", origins, channel: "", business: "", campaign: undefined };

/** Returns the origins that may frame the answer (CSP `frame-ancestors`). */
const framers = (answer: Response): string | undefined =>
  /frame-ancestors ([^;]+)/.exec(answer.headers.get("content-security-policy") ?? "")?.[1]?.trim();

it("only the site's own pages may frame the chat page (A36)", async () => {
  const app = page(createSites([site], () => []));
  expect(framers(await app.request("/c/default"))).toBe("'self' https://shop.example https://*.shop.example");
});

it("no page may frame the unsubscribe page, because its button acts (A36)", async () => {
  const app = unsubscribePage({
    mail: { unsubscribeBy: async () => true, siteOfLink: () => "default" },
    sites: createSites([site], () => []),
    bodies: createBodyBudget(),
  });
  expect(framers(await app.request("/mail/stop/link"))).toBe("'none'");
});

it("no page may frame the API page (A36)", async () => {
  const app = serverApi({ flows: {}, relay: "", address: () => "https://chat.example.com" } as unknown as Parameters<
    typeof serverApi
  >[0]);
  expect(framers(await app.request("/api"))).toBe("'none'");
});

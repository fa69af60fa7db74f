import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "../records/sites.ts";
import { createBodyBudget } from "./body-budget.ts";
import { withErrors } from "./error-answers.ts";
import { unsubscribePage } from "./unsubscribe.ts";

const siteOf = (look: Partial<typeof DEFAULT_SITE>) => ({
  public: { ...DEFAULT_SITE, ...look },
  account: "",
  origins: [],
  channel: "",
  business: "",
  campaign: undefined,
});
const sites = createSites([siteOf({}), siteOf({ id: "lamps", title: "Lamps & <more>", accent: "#fe0" })], () => []);
const app = withErrors(
  unsubscribePage({
    mail: {
      unsubscribeBy: async (link) => link !== "forged",
      siteOfLink: (link) => (link === "forged" ? undefined : link),
    },
    sites,
    bodies: createBodyBudget(),
  }),
  () => {},
);
const ask = (link: string, language = "en", accept = "text/html") =>
  app.request(`/mail/stop/${link}`, { headers: { Accept: accept, "Accept-Language": language } });

it("asks in the reader's language before it stops the mails; in English for other languages", async () => {
  expect(await (await ask("default", "de-AT,en;q=0.5")).text()).toContain("<button>Diese E-Mails abbestellen</button>");
  expect(await (await ask("default", "ar")).text()).toContain('<html lang="ar" dir="rtl">');
  expect(await (await ask("default", "")).text()).toContain("<h1>Stop these emails</h1>");
});

it("shows whose mails these are, with the site's colour", async () => {
  const text = await (await ask("lamps")).text();
  expect(text).toContain("<h1>Lamps &amp; &lt;more&gt;</h1>");
  expect(text).toContain("--accent:#ffee00;--on-accent:#111");
});

it("says in the reader's language that a link does not work; programs get JSON", async () => {
  const page = await ask("forged", "fr");
  expect([page.status, await page.text()]).toEqual([
    404,
    expect.stringContaining("<h1>Ce lien ne fonctionne plus</h1>"),
  ]);
  const answer = await ask("forged", "fr", "*/*");
  expect([answer.status, await answer.json()]).toEqual([404, { error: "Not found." }]);
});

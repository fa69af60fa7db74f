import { expect, it } from "vitest";
import { createBodyBudget } from "./body-budget.ts";
import { unsubscribePage } from "./unsubscribe.ts";

const app = unsubscribePage({ unsubscribeBy: async () => true, isUnsubscribeLink: () => true }, createBodyBudget());
const ask = async (accepted: string): Promise<string> =>
  (await app.request("/mail/stop/link", { headers: { "Accept-Language": accepted } })).text();

it("asks in the reader's language before it stops the mails; in English for other languages", async () => {
  expect(await ask("de-AT,en;q=0.5")).toContain("<button>Diese E-Mails abbestellen</button>");
  expect(await ask("ar")).toContain('<html lang="ar" dir="rtl">');
  expect(await ask("")).toContain("<h1>Stop these emails</h1>");
});

import { Hono } from "hono";
import { expect, it } from "vitest";
import { RelayError } from "../base/errors.ts";
import { withErrors } from "./error-answers.ts";

const app = withErrors(
  new Hono()
    .get("/c/:site/snippet", () => {
      throw new RelayError("unknown_site");
    })
    .get("/busy", () => {
      throw new RelayError("rate_limited");
    }),
  () => {},
);
const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
const ask = (path: string, accepted = "en", method = "GET", accept = BROWSER) =>
  app.request(path, { method, headers: { Accept: accept, "Accept-Language": accepted } });

it.each(["/c/nobody/snippet", "/c/nobody/other", "/unknown"])(
  "a browser that asks for a page that does not exist gets a page without scripts: %s",
  async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("vary"), answer.headers.get("cache-control")]).toEqual([
      404,
      "Accept, Accept-Language",
      "no-store",
    ]);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'nonce-");
    const text = await answer.text();
    expect(text).toContain("<h1>There is no chat at this address</h1>");
    expect(text).not.toContain("<script");
  },
);

it("the page is in the visitor's language", async () => {
  expect(await (await ask("/c/nobody/snippet", "xx, ar-EG;q=0.9")).text()).toContain('<html lang="ar" dir="rtl">');
  expect(await (await ask("/unknown", "pt-BR")).text()).toContain("<h1>Não há chat neste endereço</h1>");
});

it("programs, script tags and other failures get JSON", async () => {
  const answers = [
    await ask("/c/nobody/snippet", "en", "GET", "*/*"),
    await ask("/unknown", "en", "POST"),
    await ask("/busy"),
  ];
  const sentences = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
  expect(sentences).toEqual([
    [404, { error: "Unknown site key." }],
    [404, { error: "Not found." }],
    [429, { error: "Too many requests." }],
  ]);
});

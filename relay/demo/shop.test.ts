import { describe, expect, it } from "vitest";
import { botTurn } from "../sandbox/bots.ts";
import { ANSWERS } from "./answers.ts";
import { LAMPS } from "./lamps.ts";
import { shopApp } from "./shop.ts";

const relay = "http://relay.example";
const app = shopApp(relay);
const pages = ["/", "/shipping", ...LAMPS.map(({ slug }) => `/lamps/${slug}`)];
const textOf = async (path: string): Promise<string> => (await app.request(path)).text();

describe("the demo shop", () => {
  it.each(pages)("has exactly one tag on %s", async (path) => {
    const tags = (await textOf(path)).match(/<script[^>]*widget[^>]*>/g);
    expect(tags).toEqual([`<script async src="${relay}/widget.js" data-site="default">`]);
  });

  it("has no broken link and no link to another site", async () => {
    const texts = await Promise.all(pages.map(textOf));
    const links = new Set(
      texts.flatMap((text) => [...text.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, to]) => to ?? "")),
    );
    links.delete(`${relay}/widget.js`);
    const answers = await Promise.all([...links].map(async (to) => ({ to, status: (await app.request(to)).status })));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it("answers an unknown address with a page", async () => {
    const response = await app.request("/lamps/chandelier");
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("This corner is dark.");
  });
});

describe("the shop's assistant", () => {
  const says = (body: string): string =>
    botTurn(ANSWERS, { body, media: false, turns: 0, random: () => 0.5 })
      .map(({ text }) => text)
      .join(" ");

  it.each([
    ["Do you ship to Norway?", "€\u00a019"],
    ["do you deliver?", "We ship everywhere"],
    ["Which lamp for a reading chair?", "Heron"],
    ["How long does it take to make one?", "working days"],
    ["Can I return it?", "thirty days"],
    ["My glass arrived broken", "photo"],
    ["Hi!", "welcome"],
    ["Can I talk to a person?", "workshop"],
    ["qwertz", "beyond me"],
  ])("answers %s", (question, words) => {
    expect(says(question)).toContain(words);
  });

  it("quotes the shop's prices", () => {
    const prices = LAMPS.map(({ price }) => price);
    expect(says("how much is it?")).toContain(`€\u00a0${Math.min(...prices)}`);
    expect(says("how much is it?")).toContain(`€\u00a0${Math.max(...prices)}`);
  });
});

// @vitest-environment happy-dom
import { afterEach, expect, it } from "vitest";
import { createFixture, drawn, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Thread } from "./thread.tsx";

let on: Fixture;
afterEach(() => on.stop());

const names = (view: HTMLElement): string[] =>
  [...view.querySelectorAll("button:not(.react *)")].map((button) => button.textContent ?? "");
const press = (view: HTMLElement, name: string): void =>
  [...view.querySelectorAll("button")].find((button) => button.textContent === name)?.click();
/** The arguments of each `send`. */
const sent = (): unknown[][] => on.chat.calls.filter(([what]) => what === "send").map(([, ...args]) => args);

it("offers the site's topics in the empty thread, and sends the chosen one to its route", async () => {
  on = await createFixture({ topics: ["Returns = returns", "Anything else"] });
  const view = on.show(Thread);
  await expect.poll(() => names(view)).toEqual(["Returns", "Anything else"]);
  expect(view.querySelector("[role=group]")?.getAttribute("aria-label")).toBe("Choose a topic");
  press(view, "Returns");
  press(view, "Anything else");
  expect(sent()).toEqual([
    ["Returns", undefined, { campaign: "returns", chosen: true }],
    ["Anything else", undefined, {}],
  ]);
  on.chat.items.value = [own("Returns")];
  await drawn();
  expect(names(view)).toEqual([]);
});

it("offers at most four questions of the site above its topics in the empty thread, and sends the chosen one", async () => {
  on = await createFixture({ suggestions: ["1", "2", "3", "4", "5"], topics: ["Returns"] });
  const view = on.show(Thread);
  await expect.poll(() => names(view)).toEqual(["1", "2", "3", "4", "Returns"]);
  expect(view.querySelector("[role=group]")?.getAttribute("aria-label")).toBe("Suggested questions");
  press(view, "2");
  expect(sent()).toEqual([["2", undefined, {}]]);
  on.chat.items.value = [own("2")];
  await drawn();
  expect(names(view)).toEqual([]);
});

it("offers a person as the last of the topics while the thread is empty", async () => {
  on = await createFixture({ topics: ["Returns"], askPerson: "team" });
  const view = on.show(Thread);
  await expect.poll(() => names(view)).toEqual(["Returns", "Talk to a person"]);
  expect(view.querySelectorAll("[role=group] button")).toHaveLength(2);
});

it("offers a person in the empty thread and after each AI reply, if the site sets it", async () => {
  on = await createFixture({ askPerson: "team" });
  const view = on.show(Thread);
  await expect.poll(() => names(view)).toEqual(["Talk to a person"]);
  on.chat.items.value = [own("Hello")];
  await drawn();
  expect(names(view)).toEqual([]);
  on.chat.items.value = [own("Hello"), reply("I am a machine")];
  await drawn();
  press(view, "Talk to a person");
  expect(sent()).toEqual([["Talk to a person", undefined, { campaign: "team", chosen: true }]]);
});

it("offers nothing by default, and no person where people answer", async () => {
  on = await createFixture({ askPerson: "team", responder: "human" });
  const view = on.show(Thread);
  await drawn();
  expect(names(view)).toEqual([]);
  on.settings.value = { ...on.settings.value, askPerson: "" };
  await drawn();
  expect(names(view)).toEqual([]);
});

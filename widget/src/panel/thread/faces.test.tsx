// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from "vitest";
import type { Options } from "../../settings/options.ts";
import { createFixture, drawn, type Fixture, reply } from "../base/ui.fixture.ts";
import { Header } from "../main/header.tsx";
import { pictureOf } from "./faces.tsx";
import { Thread } from "./thread.tsx";

let on: Fixture;
afterEach(() => on.stop());

const MARIA = "https://shop.example/maria.jpg";

describe("the faces in the header", () => {
  const show = async (options: Options): Promise<HTMLElement> => {
    on = await createFixture(options);
    return on.show(Header);
  };
  const images = (view: HTMLElement) => [...view.querySelectorAll(".faces img")].map((one) => one.getAttribute("src"));

  it("show the first three people of the team instead of the site's picture", async () => {
    const view = await show({ team: [`Maria=${MARIA}`, "Tom", "Ana", "Kim"] });
    await expect.poll(() => view.querySelectorAll(".faces > *").length).toBe(3);
    expect(view.querySelector(".faces")?.getAttribute("aria-label")).toBe("Maria, Tom, Ana");
    expect(images(view)).toEqual([MARIA]);
    expect([...view.querySelectorAll(".faces span")].map((one) => one.textContent)).toEqual(["T", "A"]);
  });

  it("can be set by an attribute, and become a letter if the picture cannot be loaded", async () => {
    const view = await show({ team: `Maria=${MARIA}|Tom` } as unknown as Options);
    await expect.poll(() => images(view)).toEqual([MARIA]);
    view.querySelector(".faces img")?.dispatchEvent(new Event("error"));
    await drawn();
    expect(view.querySelector(".faces")?.textContent).toBe("MT");
  });

  it("are not shown unless the site names a team", async () => {
    const view = await show({});
    await drawn();
    expect([view.querySelector(".faces"), view.querySelector(".avatar")?.textContent]).toEqual([null, "S"]);
  });
});

describe("the author of a reply", () => {
  const texts = (view: HTMLElement, selector: string) =>
    [...view.querySelectorAll(selector)].map((node) => node.textContent);
  const named = (name: string, text: string, picture?: string) =>
    reply(`[${name}]\n${text}`, { author: { name, end: name.length + 3, ...(picture && { picture }) } });

  it("is shown above the reply with the team's picture, and not in its text", async () => {
    on = await createFixture({ responder: "human", team: [`Maria=${MARIA}`] });
    const view = on.show(Thread);
    on.chat.items.value = [named("Maria", "Hello"), named("Maria", "How are you?"), named("Tom", "Hi"), reply("Bye")];
    await expect.poll(() => view.querySelector("img.face")?.getAttribute("src")).toBe(MARIA);
    expect(texts(view, ".author")).toEqual(["Maria", "Tom", "Our team"]);
    expect(texts(view, ".bubble")).toEqual(["Hello", "How are you?", "Hi", "Bye"]);
    expect(texts(view, ".first .face")).toEqual(["", "T"]);
  });

  it("still says that an AI may have written the reply", async () => {
    on = await createFixture({ responder: "ai" });
    const view = on.show(Thread);
    on.chat.items.value = [named("Maria", "Hello")];
    await drawn();
    expect(texts(view, ".author")).toEqual(["Maria · AI assistant"]);
    expect(texts(view, ".msg > .vh")[0]).toMatch(/^Maria · AI assistant, /);
  });

  it("uses the reply's own picture only from one of the site's hosts", async () => {
    on = await createFixture({ team: [`Tom=${MARIA}`] });
    const of = (picture: string) => pictureOf(on.ui, { name: "Maria", picture, end: 0 });
    expect(of("https://shop.example/other.jpg")).toBe("https://shop.example/other.jpg");
    expect(of("https://relay.example/media/a.png")).toBe("https://relay.example/media/a.png");
    expect(of(new URL("/maria.png", location.href).href)).toBe(new URL("/maria.png", location.href).href);
    expect(of("https://elsewhere.example/track.png")).toBe("");
    expect(pictureOf(on.ui, { name: "Tom", picture: "https://elsewhere.example/track.png", end: 0 })).toBe(MARIA);
  });
});

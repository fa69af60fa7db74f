// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from "vitest";
import { greetingWords } from "./greeting-words.ts";
import { createFixture, type Fixture } from "./ui.fixture.ts";

let on: Fixture;
beforeEach(async () => {
  on = await createFixture();
});
afterEach(() => on.stop());

it("is the site's greeting with the verified name, whatever its characters; without a name, the place is removed", () => {
  on.settings.value = { ...on.settings.value, greeting: "Hello {name}!" };
  expect(greetingWords(on.ui)).toBe("Hello!");
  on.chat.name.value = "A$&a";
  expect(greetingWords(on.ui)).toBe("Hello A$&a!");
});

it("is the language's greeting where the site has none", () => {
  expect(greetingWords(on.ui)).toBe("Hi! How can we help you?");
});

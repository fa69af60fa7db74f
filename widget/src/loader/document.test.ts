// @vitest-environment happy-dom
import { afterEach, expect, it } from "vitest";
import { pageDocument } from "./document.ts";

afterEach(() => {
  Reflect.deleteProperty(Element.prototype, "bind");
});

it("returns elements unchanged, even if a library of the page gives elements a method named bind", () => {
  Object.assign(Element.prototype, { bind: () => "bound" });
  expect(pageDocument.body).toBe(document.body);
  expect(pageDocument.documentElement).toBe(document.documentElement);
});

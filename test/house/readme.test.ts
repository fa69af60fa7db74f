import { expect, it } from "vitest";
import { readme } from "./readme.ts";

it("shows the settings and the figures in the README as they are (node test/house/readme.ts renews the tables)", () => {
  const { written, renewed } = readme();
  expect(written.split("\n")).toEqual(renewed.split("\n"));
});

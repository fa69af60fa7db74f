import { expect, it } from "vitest";
import { keyOf } from "./form-controls.ts";

it.each([
  ["Order number", [], "orderNumber"],
  ["Größe", [], "groe"],
  ["Order number", ["orderNumber"], "orderNumber2"],
  ["Name", [], "name2"],
  ["2nd address", [], "field2ndAddress"],
  ["注文番号", [], "field"],
  ["注文番号", ["field"], "field2"],
])("a custom field with the label %s gets the key %s", (label, taken, key) => {
  expect(keyOf(label, taken)).toBe(key);
});

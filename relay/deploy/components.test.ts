import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { components, purlOf, sbom } from "./components.ts";

/** Licences that ask for no more than their text and the names of the authors. */
const PERMISSIVE = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|MIT-0|Unlicense|CC0-1\.0)$/;
const parts = components();

it("ships only packages under permissive licences", () => {
  expect(parts.filter(({ license }) => !PERMISSIVE.test(license))).toEqual([]);
});

it("lists every dependency of the relay and the widget, and what those need", () => {
  const direct = ["relay", "widget"].flatMap((part) => {
    const file = join(import.meta.dirname, "..", "..", part, "package.json");
    return Object.keys((JSON.parse(readFileSync(file, "utf8")) as { dependencies: object }).dependencies);
  });
  const names = parts.map(({ name }) => name);
  expect(direct.filter((name) => !name.startsWith("@porchlight/") && !names.includes(name))).toEqual([]);
  const listed = new Set(parts.map(purlOf));
  expect(parts.flatMap(({ needs }) => needs).filter((need) => !listed.has(need))).toEqual([]);
  expect(parts.length).toBeGreaterThan(direct.length);
});

it("makes the same CycloneDX document each time, and every reference in it resolves", () => {
  const document = sbom() as {
    bomFormat: string;
    specVersion: string;
    metadata: { component: { "bom-ref": string } };
    components: { "bom-ref": string; purl: string }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  expect(document).toEqual(sbom());
  expect([document.bomFormat, document.specVersion]).toEqual(["CycloneDX", "1.6"]);
  const known = new Set([
    document.metadata.component["bom-ref"],
    ...document.components.map((part) => part["bom-ref"]),
  ]);
  for (const { ref, dependsOn } of document.dependencies)
    expect([ref, ...dependsOn].filter((each) => !known.has(each))).toEqual([]);
});

import { expect, it } from "vitest";
import { openApi } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";

const document = openApi("https://chat.example.com");
const text = JSON.stringify(document);

it("holds every schema that it refers to, under components", () => {
  const named = Object.keys(document.components.schemas);
  const referred = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
  expect(
    [...new Set(referred)].filter((ref) => !named.includes(ref?.replace("#/components/schemas/", "") ?? "")),
  ).toEqual([]);
  expect(named).toContain("Grant");
  expect(text).not.toContain("$defs");
});

it("describes every operation once, with its token's scope, its parameters and its answer", () => {
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as {
    operationId: string;
    parameters: { name: string; in: string }[];
    responses: Record<string, { description: string }>;
  }[];
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(OPERATIONS).sort());
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods) as [string, (typeof described)[number]][]) {
      const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
      expect(names.filter((name) => name.startsWith("path "))).toEqual(inPath);
      expect(names.includes("header Idempotency-Key")).toBe(method !== "get");
      expect(Object.values(operation.responses).every(({ description }) => description !== "")).toBe(true);
    }
  }
});

import { expect, it } from "vitest";
import { openApi } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { apiPage } from "./page.ts";

const document = openApi(OPERATIONS, "https://chat.example.com");
const text = JSON.stringify(document);

it("contains every referenced schema under components", () => {
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

it("names the possible statuses of each operation, and the patterns that are checked", () => {
  const operation = (path: string, method: string) =>
    document.paths[`/api/v1${path}`]?.[method] as { responses: object; requestBody?: object; parameters: object[] };
  const statuses = (path: string, method: string) => Object.keys(operation(path, method).responses).map(Number);
  expect(statuses("/visitors", "get")).toEqual([200, 400, 401, 403, 429, 500]);
  expect(statuses("/visitors/{visitor}", "get")).toEqual([200, 400, 401, 403, 404, 429, 500]);
  expect(statuses("/contacts", "get")).toEqual([200, 400, 401, 403, 404, 422, 429, 500, 502]);
  expect(statuses("/leads", "post")).toEqual([202, 400, 401, 403, 409, 413, 422, 429, 500]);
  expect(statuses("/messages", "post")).toContain(404);
  expect(statuses("/lists/{list}/contacts", "post")).not.toContain(404);
  const [, said] =
    /"email":\{[^}]*"pattern":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(operation("/leads", "post"))) ?? [];
  const pattern = new RegExp(JSON.parse(said ?? '""'), "u");
  const { body } = OPERATIONS.createLead;
  for (const email of ["ada@b.example", "a@b", "@b.c", "a b@c.d", "a@b..c"])
    expect([email, pattern.test(email)]).toEqual([email, body.safeParse({ email }).success]);
});

it("has a page whose example answers show the key of the example call", async () => {
  const page = String(await apiPage("https://chat.example.com", document)).replaceAll("&quot;", '"');
  const keys = [...page.matchAll(/^ +"key": "([^"]+)"/gm)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(1);
  for (const key of keys) expect(page).toContain(`-H "Idempotency-Key: ${key}"`);
});

it("has a page on which the keyboard reaches every scrolling box, and each box has its own name", async () => {
  const page = String(await apiPage("https://chat.example.com", document));
  const boxes = [...page.matchAll(/<pre\b([^>]*)>/g)].map(([, attributes = ""]) => attributes);
  expect(boxes.length).toBeGreaterThan(Object.keys(OPERATIONS).length);
  expect(boxes.filter((one) => !/tabindex="0"/.test(one) || !/role="region"/.test(one))).toEqual([]);
  const names = boxes.map((one) => /aria-label="([^"]+)"/.exec(one)?.[1]);
  expect(new Set(names).size).toBe(boxes.length);
});

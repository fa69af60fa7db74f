import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { caller, tokenFor } from "./tokens.ts";

type Schema = { type?: string; required?: string[]; properties?: Record<string, Schema>; maxLength?: number };
type Described = {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Case = { name: string; method: string; path: string; described: Described; body: Schema | undefined };

let harness: Harness;
let token: string;
let cases: Case[];
let calls = 0;

/** Sends a raw body, which may be invalid JSON. */
async function raw({ method, path }: Pick<Case, "method" | "path">, body?: string, key: string | null = "k") {
  // A token allows a hundred calls at once.
  if (++calls % 90 === 0) token = await tokenFor(harness);
  const headers = { Authorization: `Bearer ${token}`, ...(key !== null && { "Idempotency-Key": key }) };
  const response = await fetch(`${harness.url}/api/v1${path}`, {
    method,
    headers,
    ...(method !== "GET" && body !== undefined && { body }),
  });
  const text = await response.text();
  const problem = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, type: response.headers.get("content-type"), problem };
}
const wrong = (status: number, more: object = {}) => ({
  status,
  type: "application/problem+json",
  problem: expect.objectContaining({ status, code: expect.any(String), title: expect.any(String), ...more }),
});

beforeAll(async () => {
  harness = await startHarness({ sandbox: NO_RANDOM_FAULTS });
  token = await tokenFor(harness);
  const document = (await (await fetch(`${harness.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  cases = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      name: described.operationId,
      method: method.toUpperCase(),
      path: path.replace("/api/v1", "").replaceAll(/\{\w+\}/g, "nobody"),
      described,
      body: described.requestBody?.content["application/json"]?.schema,
    })),
  );
});
afterAll(() => harness.stop());

describe("every operation of the server API", () => {
  it("is in the OpenAPI document", () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it("reports an unknown query parameter, an invalid cursor and an invalid limit", async () => {
    for (const each of cases) {
      const { name, method, path, described } = each;
      expect(await raw({ method, path: `${path}?colour=red` }, "{}"), name).toEqual(wrong(400, { field: "colour" }));
      const names = described.parameters.filter((each) => each.in === "query").map((each) => each.name);
      const encoded = [null, 5, [], {}, { created: 1 }, { at: {}, id: 7 }, { before: "x" }].map((value) =>
        Buffer.from(JSON.stringify(value)).toString("base64url"),
      );
      for (const cursor of names.includes("cursor") ? ["x", "%00", "", ...encoded] : [])
        expect(await raw({ method, path: `${path}?cursor=${cursor}` }), `${name} ${cursor}`).toMatchObject(
          // Without a visitor, there is no list either.
          path.includes("nobody") ? { status: expect.any(Number) } : wrong(400, { field: "cursor" }),
        );
      for (const limit of names.includes("limit") ? ["0", "-1", "1.5", "x", "", "201"] : [])
        expect(await raw({ method, path: `${path}?limit=${limit}` }), `${name} ${limit}`).toEqual(
          wrong(400, { field: "limit" }),
        );
    }
  });

  it("that changes something requires a key, and names the header", async () => {
    for (const each of cases.filter(({ method }) => method !== "GET")) {
      const required = each.body?.required ?? [];
      const answer = await raw(each, required.length === 0 ? "{}" : undefined, null);
      if (required.length === 0)
        expect(answer, each.name).toEqual(wrong(400, { code: "key_missing", field: "Idempotency-Key" }));
      else expect(answer, each.name).toEqual(wrong(400, { field: expect.any(String) }));
    }
  });

  it("names every field of a body that has a wrong type, is too long, unknown or missing", async () => {
    for (const each of cases.filter(({ body }) => body !== undefined)) {
      const { name, body } = each;
      for (const none of ["{", "nonsense", "[1]", "null", "7", '"text"'])
        expect(await raw(each, none), `${name} ${none}`).toEqual(wrong(400));
      expect(await raw(each, '{"colour":"red"}'), name).toEqual(wrong(400));
      expect(JSON.stringify((await raw(each, '{"__proto__":{"admin":true}}')).problem), name).toContain("__proto__");
      const missing = JSON.stringify((await raw(each, "{}", `missing-${name}`)).problem);
      for (const field of body?.required ?? []) expect(missing, `${name} ${field}`).toContain(`"field":"${field}"`);
      for (const [field, { type, maxLength }] of Object.entries(body?.properties ?? {})) {
        const bad = [type === "object" ? "text" : { deep: [] }, null, ...(type === "string" ? [7] : ["5"])];
        const long = maxLength === undefined ? [] : ["x".repeat(maxLength + 1)];
        for (const value of [...bad, ...long])
          expect(
            JSON.stringify((await raw(each, JSON.stringify({ [field]: value }))).problem),
            `${name} ${field}`,
          ).toContain(`"field":"${field}`);
      }
    }
  });

  it("neither crashes nor reveals internals for unexpected input", async () => {
    const odd = ["%00", "%2e%2e%2f", "%E0%A4%A", "x".repeat(2_000), "__proto__", "constructor"];
    for (const each of cases.filter(({ path }) => path.includes("nobody")))
      for (const value of odd) {
        const answer = await raw({ ...each, path: each.path.replaceAll("nobody", value) }, '{"reason":"x"}', "odd");
        expect([400, 404, 409, 422], `${each.name} ${value.slice(0, 20)} ${answer.status}`).toContain(answer.status);
      }
    const deep = `{"reason":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    for (const each of cases.filter(({ body }) => body !== undefined))
      expect((await raw(each, deep, "deep")).status, each.name).toBe(400);
    const large = JSON.stringify({ text: "x".repeat(300_000) });
    expect(await raw({ method: "POST", path: "/messages" }, large)).toEqual(wrong(413));
  });

  it("names the list that the service does not know", async () => {
    const call = caller(harness, token);
    harness.sandbox.seed({ lists: ["leads"] });
    const { body } = await call("POST", "/contacts", { email: "a@b.example", lists: ["leads", "none"] }, "l-1");
    expect(body).toMatchObject({
      status: 422,
      code: "refused_upstream",
      field: "lists[1]",
      detail: "none: List not found",
    });
  });
});

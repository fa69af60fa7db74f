import { z } from "zod";
import { WEBHOOKS, type Webhook } from "../../hooks/payloads.ts";
import { SCOPES } from "../../records/tokens.ts";
import type { Operation } from "./operations.ts";
import { IDEMPOTENCY_KEY } from "./schemas.ts";

/** Version of the server API (semantic versioning). `/api/v1` keeps its major number. */
export const API_VERSION = "1.0.0";

const PROBLEM = {
  type: "object",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    field: { type: "string" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { field: { type: "string" }, detail: { type: "string" } },
        required: ["field", "detail"],
      },
    },
    done: {
      type: "object",
      description: "What succeeded before the error: the contact, and the lists it is on now",
      properties: { contactId: { type: "string" }, lists: { type: "array", items: { type: "string" } } },
      required: ["contactId", "lists"],
    },
  },
  required: ["type", "title", "status", "code"],
};

type Json = Record<string, unknown>;
type Refusals = (readonly [status: number, description: string])[];

/** The meaning of an operation's own errors, by status. */
const REFUSALS = {
  404: "Not found",
  422: "Refused: an invalid phone number, or the messaging service refused the request",
  502: "The messaging service is not available",
} as const;
/** Named schemas, collected while the document is built. */
type Named = Record<string, unknown>;

/** Converts a schema for the document: named schemas go to `components`; a pattern beside a format is left out. */
function schemaOf(schema: z.ZodType, io: "input" | "output", named: Named): Json {
  const made = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const { $schema, $defs = {}, ...rest } = made;
  const placed = (value: object): Json =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  Object.assign(named, placed($defs));
  return placed(rest);
}

const parameter = (name: string, where: "path" | "query" | "header", schema: unknown, required: boolean) => ({
  name,
  in: where,
  required,
  schema,
});

function parametersOf({ path, query, method }: Operation, named: Named) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    parameter(name, "path", { type: "string" }, true),
  );
  const { properties = {} } = schemaOf(query, "input", named) as { properties?: Record<string, unknown> };
  const inQuery = Object.entries(properties).map(([name, schema]) => parameter(name, "query", schema, false));
  const key = parameter("Idempotency-Key", "header", { type: "string", pattern: IDEMPOTENCY_KEY.source }, true);
  return [...inPath, ...inQuery, ...(method === "get" ? [] : [key])];
}

function operationOf(name: string, operation: Operation, named: Named): Json {
  const { scope, summary, body, answer, status, method, refusals } = operation;
  const content = (schema: unknown) => ({ content: { "application/json": { schema } } });
  const failed = { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } };
  const unsafe: Refusals = [
    [409, "A request with the same key is still under way, or the state does not allow the operation"],
    [413, "The body is too large"],
    [422, "The key was used with a different request, or the request was refused"],
  ];
  const failures: Refusals = [
    [400, "The request is invalid"],
    [401, "No valid token"],
    [403, "The token lacks the scope"],
    [429, "Too many requests: Retry-After says when to try again"],
    [500, "An internal error of the relay"],
    ...(method === "get" ? [] : unsafe),
    ...refusals.filter((code) => method === "get" || code !== 422).map((code) => [code, REFUSALS[code]] as const),
  ];
  return {
    operationId: name,
    summary,
    tags: [operation.path.split("/")[1]],
    security: [{ token: [scope] }],
    parameters: parametersOf(operation, named),
    ...(body === undefined ? {} : { requestBody: { required: true, ...content(schemaOf(body, "input", named)) } }),
    responses: {
      [status]: { description: "Done", ...(status === 204 ? {} : content(schemaOf(answer, "output", named))) },
      ...Object.fromEntries(failures.map(([code, description]) => [code, { description, ...failed }])),
    },
  };
}

const HOOK_HEADERS = [
  ["webhook-id", "Identifies the event: the same in every attempt"],
  ["webhook-timestamp", "Seconds since 1970"],
  ["webhook-signature", "Signature by the Standard Webhooks specification: v1, and HMAC-SHA256 in base64"],
] as const;

/** Describes a request to the owner's backend. */
function webhookOf(name: string, { summary, body, answer }: Webhook, named: Named): Json {
  const content = (schema: unknown) => ({ content: { "application/json": { schema } } });
  const taken = { description: "Accepted: any 2xx status" };
  return {
    operationId: name,
    summary,
    parameters: HOOK_HEADERS.map(([header, description]) => ({
      ...parameter(header, "header", { type: "string" }, true),
      description,
    })),
    requestBody: { required: true, ...content(schemaOf(body, "output", named)) },
    responses: {
      "2XX": answer === undefined ? taken : { ...taken, ...content(schemaOf(answer, "input", named)) },
    },
  };
}

/**
 * The API as an OpenAPI 3.1 document, generated from the schemas that validate requests.
 * @param operations the operations of the API, by name
 * @param server the relay's public address; empty: the address from which the document was fetched
 */
export function openApi(operations: Readonly<Record<string, Operation>>, server: string) {
  const paths: Record<string, Json> = {};
  const named: Named = { Problem: PROBLEM };
  for (const [name, operation] of Object.entries(operations)) {
    const path = `/api/v1${operation.path}`;
    paths[path] = { ...paths[path], [operation.method]: operationOf(name, operation, named) };
  }
  const token = { type: "http", scheme: "bearer", description: `Scopes: ${SCOPES.join(", ")}` };
  return {
    openapi: "3.1.0",
    info: { title: "Porchlight server API", version: API_VERSION, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: server === "" ? "/" : server }],
    paths,
    webhooks: Object.fromEntries(
      Object.entries<Webhook>(WEBHOOKS).map(([name, webhook]) => [name, { post: webhookOf(name, webhook, named) }]),
    ),
    components: { schemas: named, securitySchemes: { token } },
  };
}

/**
 * Builds the client as an npm package for backends: three files, no dependencies. Its code is `call.ts` without types. Its
 * types come from the OpenAPI document.
 */

import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { EVENT_TYPES } from "../../base/owner-events.ts";
import { API_VERSION, openApi } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Content = { content?: { "application/json"?: { schema: Schema } } };
type Described = {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};

/** TypeScript's names of JSON Schema's simple types. */
const SIMPLE_TYPES: Record<string, string> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Writes a schema as a TypeScript type. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.items !== undefined) return `Array<${typeOf(schema.items)}>`;
  if (schema.type === "object" || schema.properties !== undefined) return fieldsOf(schema);
  return (
    [schema.type ?? []]
      .flat()
      .map((name) => SIMPLE_TYPES[name] ?? "unknown")
      .join(" | ") || "unknown"
  );
}

/** Writes an object's schema as a TypeScript type. */
function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const words = schema.description === undefined ? "" : `/** ${schema.description} */ `;
    return `${words}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{ ${fields.join(" ")} }`;
}

/** Writes the type of an operation's input: path, query and body in one object. */
function inputOf({ parameters, requestBody }: Described): { type: string; optional: boolean } {
  const given = parameters.filter((parameter) => parameter.in !== "header");
  const body = requestBody?.content?.["application/json"]?.schema ?? {};
  const properties = { ...Object.fromEntries(given.map(({ name, schema }) => [name, schema])), ...body.properties };
  const required = [...given.filter((each) => each.required).map(({ name }) => name), ...(body.required ?? [])];
  return { type: fieldsOf({ properties, required }), optional: required.length === 0 };
}

/** Writes an operation as a method of the client's type. */
function methodOf(described: Described): string {
  const { operationId, summary, responses } = described;
  const { type, optional } = inputOf(described);
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const answer = success?.content?.["application/json"]?.schema;
  const input = `input${optional ? "?" : ""}: ${type}`;
  return `  /** ${summary}. */
  ${operationId}(${input}, options?: Options): Promise<${answer === undefined ? "null" : typeOf(answer)}>;`;
}

/** The schema of a webhook's body. */
function bodyOf(document: ReturnType<typeof openApi>, name: string): Schema {
  const { post } = document.webhooks[name] as { post: Described };
  return post.requestBody?.content?.["application/json"]?.schema ?? {};
}

/** The package's type declarations. */
function types(): string {
  const document = openApi(OPERATIONS, "");
  const named = Object.entries(document.components.schemas as Record<string, Schema>);
  const names = Object.keys(document.webhooks);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as Described[];
  return `${named.map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`).join("\n")}

export type Options = {
  /**
   * The request's Idempotency-Key. Repeat a call with the same key and the relay does the work only once. Default: a new key.
   */
  key?: string;
  signal?: AbortSignal;
};

/** The body of each request to your backend, by its name in the OpenAPI document. */
export type Webhooks = {
${names.map((name) => `  "${name}": ${typeOf(bodyOf(document, name))};`).join("\n")}
};

/** The body of a request to your site's webhook; \`type\` says which event it is. */
export type WebhookPayload = Webhooks[${EVENT_TYPES.map((type) => JSON.stringify(type)).join(" | ")}];

/** An error answer of the relay (RFC 9457). */
export declare class ApiError extends Error {
  readonly status: number;
  /**
   * A stable code, like \`invalid_phone\`. \`unknown\` when the answer did not come from the relay, for example from a proxy.
   */
  readonly code: string;
  /** The input field that is wrong. */
  readonly field: string | undefined;
  /** The whole answer. \`errors\` names every wrong field; \`done\` holds the steps that succeeded before the error. */
  readonly problem: Readonly<Record<string, unknown>>;
}

export interface Client {
${operations.map(methodOf).join("\n")}
}

/** A client of the relay at \`url\`, with a token that \`porchlight token add\` made. */
export declare function createClient(options: { url: string; token: string; fetch?: typeof globalThis.fetch }): Client;
`;
}

/** The package's JavaScript. */
function code(): string {
  const source = readFileSync(new URL("./call.ts", import.meta.url), "utf8");
  const table = Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, { method, path, body }]) => [
      name,
      { method, path, ...(body === undefined ? {} : { body: true }) },
    ]),
  );
  return `${stripTypeScriptTypes(source)}
const OPERATIONS = ${JSON.stringify(table)};

export const createClient = (options) => callsOf(OPERATIONS, options);
`;
}

/** The files of the package, by name. */
export const clientPackage = (): Record<string, string> => ({
  "package.json": `${JSON.stringify(
    {
      name: "@porchlight/client",
      version: API_VERSION,
      description: "Calls the server API of your Porchlight relay.",
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines: { node: ">=20" },
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    },
    null,
    2,
  )}\n`,
  "index.js": code(),
  "index.d.ts": types(),
});

/** Examples for the page of the API, made from its schemas. */

/** The keywords of a JSON schema that the page shows. */
export type JsonSchema = {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  maxLength?: number;
  additionalProperties?: JsonSchema | boolean;
};
export type Schemas = Record<string, unknown>;

/** Example values by field name. */
const VALUES: Record<string, unknown> = {
  visitor: "v_VISITOR",
  user: "customer-7",
  sub: "customer-7",
  email: "ada@example.com",
  phone: "+4915112345678",
  firstName: "Ada",
  lastName: "Lovelace",
  text: "Your order is on its way.",
  amount: 20,
  note: "Invoice 117",
  reason: "as agreed",
  key: "example-1",
  site: "default",
  contactId: "c_CONTACT",
  contact: "c_CONTACT",
  url: "https://www.example.com/pricing",
  title: "Pricing",
  value: "203.0.113.9",
  account: "default",
  score: 5,
  of: 5,
  comment: "Quick and kind",
  consent: "I agree to be called back.",
  name: "parcel.jpg",
  size: 48_213,
  position: 4,
  address: "203.0.113.9",
  day: "2026-11-22",
  limit: 2000,
};
/** Example values of path parameters, by name. */
const PATH_VALUES: Record<string, string> = {
  visitor: "v_VISITOR",
  lead: "LEAD",
  message: "MESSAGE",
  key: "KEY",
  block: "BLOCK",
  id: "ID",
  list: "leads",
};

/** Example bodies and queries that the schema alone does not determine, because one of several fields is required. */
export const CHOSEN: Record<string, { body?: object; query?: string }> = {
  "get /contacts": { query: "?email=ada@example.com" },
  "post /contacts": { body: { firstName: "Ada", email: "ada@example.com", lists: ["leads"] } },
  "post /leads": { body: { firstName: "Ada", email: "ada@example.com" } },
};

const refOf = ({ $ref = "" }: JsonSchema): string => $ref.replace("#/components/schemas/", "");
/** Follows a schema's `$ref`. */
const resolved = (shape: JsonSchema, schemas: Schemas): JsonSchema =>
  shape.$ref === undefined ? shape : ((schemas[refOf(shape)] ?? {}) as JsonSchema);

const typeOf = ({ type }: JsonSchema): string | undefined =>
  Array.isArray(type) ? type.find((each) => each !== "null") : type;

/** An example value that a schema allows. @param all whether optional fields are included */
export function exampleOf(given: JsonSchema, schemas: Schemas, { name = "", all = true } = {}): unknown {
  const shape = resolved(given, schemas);
  const choice = shape.anyOf ?? shape.oneOf;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  if (choice !== undefined) return exampleOf(choice[0] ?? {}, schemas, { name, all });
  switch (typeOf(shape)) {
    case "object":
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([field]) => all || shape.required?.includes(field))
          .map(([field, inner]) => [field, exampleOf(inner, schemas, { name: field, all })]),
      );
    case "array":
      return name === "lists" ? ["leads"] : [exampleOf(shape.items ?? {}, schemas, { name, all })];
    case "integer":
    case "number":
      return typeof VALUES[name] === "number" ? VALUES[name] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      if (shape.format === "date-time") return "2026-11-22T10:00:00.000Z";
      return typeof VALUES[name] === "string" ? VALUES[name] : `${name || "text"}-1`;
  }
}

/** A field in the page's table. */
export type FieldRow = { name: string; type: string; required: boolean; description: string };

function typeName(given: JsonSchema, schemas: Schemas): string {
  const shape = resolved(given, schemas);
  const choice = shape.anyOf ?? shape.oneOf;
  if (shape.enum !== undefined) return shape.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (choice !== undefined) return [...new Set(choice.map((each) => typeName(each, schemas)))].join(" | ");
  if (typeOf(shape) === "array") return `list of ${typeName(shape.items ?? {}, schemas)}`;
  if (shape.format === "date-time") return "time";
  const limit = shape.maxLength === undefined ? "" : `, at most ${shape.maxLength} characters`;
  return `${{ string: "text", integer: "whole number", object: "object", null: "null" }[typeOf(shape) ?? ""] ?? typeOf(shape) ?? "any"}${limit}`;
}

/** Lists the fields of an object. A nested field gets the path of its parent and a dot before its name. */
export function fieldsOf(given: JsonSchema, schemas: Schemas, before = ""): FieldRow[] {
  const shape = resolved(given, schemas);
  const inner = typeOf(shape) === "array" ? resolved(shape.items ?? {}, schemas) : shape;
  const branches = inner.anyOf ?? inner.oneOf ?? [inner];
  const seen = new Set<string>();
  return branches.flatMap((branch) => {
    const { properties = {}, required = [] } = resolved(branch, schemas);
    return Object.entries(properties).flatMap(([name, field]) => {
      if (seen.has(name)) return [];
      seen.add(name);
      const found = resolved(field, schemas);
      const path = `${before}${name}`;
      const { description = found.description ?? "" } = field;
      const row = { name: path, type: typeName(field, schemas), required: required.includes(name), description };
      const deeper = before.split(".").length < 3 ? fieldsOf(field, schemas, `${path}.`) : [];
      return [row, ...deeper];
    });
  });
}

/** Fills the parameters of a path with example values. */
export const pathExample = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH_VALUES[name] ?? name.toUpperCase());

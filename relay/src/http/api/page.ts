import { html, raw } from "hono/html";
import { withCode } from "../../base/with-code.ts";
import { CHOSEN, exampleOf, type FieldRow, fieldsOf, type JsonSchema, pathExample, type Schemas } from "./examples.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { STYLE } from "./page-style.ts";

type Content = { content?: { "application/json"?: { schema: JsonSchema } } };
type Described = {
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: Content;
  responses: Record<string, Content & { description: string }>;
  summary: string;
};
type Document = { paths: Record<string, unknown>; webhooks: Record<string, unknown>; components: { schemas: Schemas } };
type Html = ReturnType<typeof html>;

/** The groups of the page, by the first part of the path, in the order in which a new reader needs them. */
const GROUPS: Record<string, string> = {
  messages: "Messages",
  visitors: "Visitors",
  contacts: "Contacts",
  lists: "Lists",
  leads: "Leads",
  credits: "Credits",
  deliveries: "Deliveries",
  ratings: "Ratings",
  webhook: "Webhook log",
  blocks: "Blocks",
  sessions: "Sessions",
};

/** The place of a group on the page. A group that is missing from `GROUPS` comes last. */
function placeOf(group: string): number {
  const ids = Object.keys(GROUPS);
  return ids.includes(group) ? ids.indexOf(group) : ids.length;
}

const groupOf = ({ path }: Pick<Operation, "path">): string => path.split("/")[1] ?? "";
const schemaIn = (given: Content | undefined): JsonSchema | undefined => given?.content?.["application/json"]?.schema;
const json = (value: unknown): string => JSON.stringify(value, null, 2);

const block = (name: string, text: string, kind = ""): Html =>
  html`<pre class="${kind}" tabindex="0" role="region" aria-label="${name}">${text}</pre>`;

function table(of: string, name: string, rows: readonly FieldRow[]): Html | "" {
  if (rows.length === 0) return "";
  return html`<h3>${name}</h3><div class="scroll" tabindex="0" role="region" aria-label="${name}: ${of}"><table><thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>${rows.map(({ name: field, type, required, description }) => html`<tr><td><code>${field}</code></td><td>${type}${required ? "" : html` <span class="note">optional</span>`}${description === "" ? "" : html`<br><span class="note">${withCode(description)}</span>`}</td></tr>`)}</tbody></table></div>`;
}

/** A curl command that works once the reader has filled in a token and real ids. */
function curlOf(
  server: string,
  { method, path }: Operation,
  { body, query = "" }: { body: unknown; query?: string | undefined },
): string {
  const lines = [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${server}/api/v1${pathExample(path)}${query}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(method === "get" ? [] : [`-H "Idempotency-Key: example-1"`]),
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body)}'`]),
  ];
  return lines.join(" \\\n  ");
}

/** Renders an operation: its input, its answer and an example. */
function operationOf(server: string, operation: Operation, { paths, components: { schemas } }: Document): Html {
  const path = `/api/v1${operation.path}`;
  const described = (paths[path] as Record<string, Described>)[operation.method] as Described;
  const takes = schemaIn(described.requestBody);
  const answers = schemaIn(described.responses[operation.status]);
  const name = `${operation.method.toUpperCase()} ${path}`;
  const parameters = described.parameters
    .filter(({ in: where }) => where !== "header")
    .map(({ name: field, schema, required, description = "" }) => {
      const [row] = fieldsOf(
        { type: "object", properties: { [field]: schema }, required: required ? [field] : [] },
        schemas,
      );
      return { ...(row as FieldRow), description: description || (row?.description ?? "") };
    });
  const { body: chosen, query } = CHOSEN[`${operation.method} ${operation.path}`] ?? {};
  const body = chosen ?? (takes && exampleOf(takes, schemas, { all: false }));
  return html`<details><summary><b class="method ${operation.method}">${operation.method}</b><code>${path}</code><span>${withCode(operation.summary)}</span></summary>
<div class="body"><div>
<p class="note">Scope <code>${operation.scope}</code></p>
${table(name, "In the address", parameters)}${takes ? table(name, "In the body", fieldsOf(takes, schemas)) : ""}${answers ? table(name, "In the answer", fieldsOf(answers, schemas)) : ""}
</div><div>
<h3>Example</h3>${block(`Example of ${name}`, curlOf(server, operation, { body, query }), "curl")}
<h3>Answer: ${operation.status}</h3>${answers ? block(`Answer of ${name}`, json(exampleOf(answers, schemas))) : html`<p class="note">No body.</p>`}
</div></div></details>`;
}

/** Renders a webhook with its payload. */
function webhookOf(name: string, given: unknown, schemas: Schemas): Html {
  const { summary, requestBody } = (given as { post: Described }).post;
  const schema = schemaIn(requestBody) ?? {};
  const payload = exampleOf(schema, schemas) as Record<string, unknown>;
  return html`<details><summary><b class="method post">event</b><code>${name}</code><span>${withCode(summary)}</span></summary>
<div class="body"><div>${table(name, "In the body", fieldsOf(schema, schemas))}</div><div><h3>Example</h3>${block(`Payload of ${name}`, json(payload))}</div></div></details>`;
}

const INTRODUCTION = html`<p>The API is for your backend: read conversations, send messages, manage leads and credits. A token is valid for
one site and for its scopes; <code>porchlight token add backend</code> makes one.</p>
<ul>
<li>Every call carries <code>Authorization: Bearer</code> and the token.</li>
<li>Every call that changes something carries an <code>Idempotency-Key</code> of your choice. The same key with the same request gets the
first answer again, and the relay does nothing twice.</li>
<li>Lists end with <code>next</code>: pass it as <code>cursor</code> to get the next page.</li>
<li>Errors are <code>application/problem+json</code> (RFC 9457): <code>code</code> for programs, <code>detail</code> for people, and
<code>errors</code> with each wrong field. 429 has <code>Retry-After</code>.</li>
</ul>
<p>The same as a document: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). <code>porchlight client &lt;folder&gt;</code> writes a typed
client.</p>`;

/**
 * Renders the API as a page without scripts and without requests to other hosts.
 * @param server the relay's address
 * @param document the API as an OpenAPI document
 */
export function apiPage(server: string, document: Document): Html {
  const operations = Object.values(OPERATIONS) as Operation[];
  const groups = [...Map.groupBy(operations, groupOf)].toSorted(([one], [other]) => placeOf(one) - placeOf(other));
  const titleOf = (id: string): string => GROUPS[id] ?? id;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Porchlight server API</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="page">
<nav aria-label="Parts of the API"><ul>${groups.map(([id]) => html`<li><a href="#${id}">${titleOf(id)}</a></li>`)}<li><a href="#events">Webhooks</a></li></ul></nav>
<main id="main" tabindex="-1">
<h1>Porchlight server API</h1>
${INTRODUCTION}
${groups.map(([id, all]) => html`<section><h2 id="${id}">${titleOf(id)}</h2>${all.map((operation) => operationOf(server, operation, document))}</section>`)}
<section><h2 id="events">Webhooks</h2>
<p>The relay posts these events to the <code>webhook</code> of a site, signed by the Standard Webhooks rules, and repeats each until your
backend answers 2xx. Process each <code>webhook-id</code> once.</p>
${Object.entries(document.webhooks).map(([name, given]) => webhookOf(name, given, document.components.schemas))}</section>
</main>
</div>
</body>
</html>`;
}

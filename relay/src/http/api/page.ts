import { html, raw } from "hono/html";
import { OPERATIONS, type Operation } from "./operations.ts";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
code { font: 0.9em ui-monospace, monospace; }
summary { cursor: pointer; padding: 0.4rem 0; }
summary b { display: inline-block; min-width: 4.5rem; text-transform: uppercase; }
pre { overflow: auto; padding: 0.75rem; border: 1px solid; border-radius: 0.5rem; }
`;

const EXAMPLE = (server: string): string => `curl ${server}/api/v1/messages \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1042-shipped" \\
  -d '{"to":{"user":"customer-7"},"text":"Your lamp is on its way."}'`;

type Document = { paths: Record<string, Record<string, unknown>> };

const section = (operation: Operation, document: Document) => {
  const path = `/api/v1${operation.path}`;
  return html`<details>
    <summary><b>${operation.method}</b> <code>${path}</code><br />${operation.summary}</summary>
    <p>Scope <code>${operation.scope}</code></p>
    <pre tabindex="0" role="region" aria-label="${operation.method.toUpperCase()} ${path}">
${JSON.stringify(document.paths[path]?.[operation.method], null, 2)}</pre
    >
  </details>`;
};

/**
 * The API as a page to read. No script, no other host.
 * @param server the relay's address
 * @param document the same API as an OpenAPI document
 */
export const apiPage = (server: string, document: Document) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Porchlight server API</title>
      <style>
        ${raw(STYLE)}
      </style>
    </head>
    <body>
      <main>
        <h1>Porchlight server API</h1>
        <p>
          Every call carries <code>Authorization: Bearer</code> and a token: <code>porchlight token add</code> makes one.
          Every call that changes something carries an <code>Idempotency-Key</code>: the same key again is answered, and
          not done again. Errors are <code>application/problem+json</code>. The same as a document:
          <a href="/openapi.json">openapi.json</a>.
        </p>
        <pre tabindex="0" role="region" aria-label="Example">${EXAMPLE(server)}</pre>
        ${Object.values(OPERATIONS).map((operation) => section(operation, document))}
      </main>
    </body>
  </html>`;

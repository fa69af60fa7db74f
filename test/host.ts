import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A host site on another origin than the relay, with pages that contain only the tag. */
export type Host = { url: string; stop: () => Promise<void> };

export type Tag = {
  /** Attributes besides `src`. */
  attributes?: Record<string, string>;
  /** The page's own markup. */
  body?: string;
  /** The page's own script, before the tag. */
  script?: string;
  /** Headers of the page, for a given address of the relay. */
  headers?: (relay: string) => Record<string, string>;
};

const page = (
  relay: string,
  path: string,
  { attributes = { "data-site": "default" }, body = "", script }: Tag,
): string => {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Host ${path}</title>
${script === undefined ? "" : `<script>${script}</script>`}
<script async src="${relay}/widget.js"${written.join("")}></script></head>
<body><h1>Host ${path}</h1><p><a href="/">Home</a> <a href="/second">Second page</a></p>${body}</body>
</html>`;
};

/**
 * Serves the page at every path, on a free port.
 * @param relay returns the relay's address; called for each request, because the host starts before the relay
 */
export async function startHost(relay: () => string, tag: Tag = {}): Promise<Host> {
  const server = createServer(({ url = "/" }, response) => {
    if (url === "/favicon.ico") return void response.writeHead(204).end();
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...tag.headers?.(relay()) });
    response.end(page(relay(), url, tag));
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, stop };
}

/** Pages of a host's origin for a test: each has a path, markup and headers. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = { html: string; headers?: Record<string, string> };
export type Pages = { url: string; put: (path: string, answer: Answer) => void; stop: () => Promise<void> };

/** A complete document around some markup. */
export const pageOf = (body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Host</title>${head}</head><body>${body}</body></html>`;

/** Serves on a free port of `localhost`; unknown paths answer 404. */
export async function startPages(): Promise<Pages> {
  const answers = new Map<string, Answer>();
  const server = createServer(({ url = "/" }, response) => {
    // Browsers request this path on every page without an icon.
    if (url === "/favicon.ico") return void response.writeHead(204).end();
    const answer = answers.get(url);
    response.writeHead(answer ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", ...answer?.headers });
    response.end(answer?.html);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    put: (path, answer) => void answers.set(path, answer),
    stop,
  };
}

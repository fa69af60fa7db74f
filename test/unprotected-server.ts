/** A file server without any protection, as a control: it serves each file inline, with the type that its name suggests. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  svg: "image/svg+xml",
  xml: "text/xml",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  txt: "text/plain",
  mp4: "video/mp4",
  pdf: "application/pdf",
};

export type UnprotectedServer = { addressOf(name: string): string; stop(): void };

/** @param files bytes by name */
export async function startUnprotectedServer(files: ReadonlyMap<string, Uint8Array>): Promise<UnprotectedServer> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? "");
    response.setHeader("Content-Type", TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream");
    response.end(files.get(name));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    addressOf: (name) => `${origin}/${encodeURIComponent(name)}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Requests that the relay sends, and the addresses that its settings accept (A20, SECURITY "Where the relay calls"). */

import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  assertPrivate,
  backupTo,
  bucketOf,
  postAddress,
  rootAddress,
  smtp,
  webAddress,
} from "../relay/src/base/settings/parsers.ts";
import { parseDataUrl } from "../relay/src/files/dataurl.ts";
import { createS3Files } from "../relay/src/files/s3.ts";
import { createForward } from "../relay/src/hooks/forward.ts";
import { createHooks } from "../relay/src/hooks/post.ts";
import { parseCallback } from "../relay/src/service/callbacks.ts";
import { createTransport } from "../relay/src/service/http.ts";

let trap: Server;
let redirector: Server;
/** Paths requested from the trap, the target of every redirect. */
let trapped: string[];
let [trapUrl, redirectorUrl] = ["", ""];
/** Number of requests to the redirector. */
let redirected: number;

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listening = async (server: Server): Promise<Server> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
};

beforeAll(async () => {
  trap = await listening(
    createServer((request, response) => {
      trapped.push(request.url ?? "");
      request.resume().on("end", () => response.end("{}"));
    }),
  );
  trapUrl = urlOf(trap);
  redirector = await listening(
    createServer((request, response) => {
      redirected++;
      const status = Number(/\d{3}/.exec(request.url ?? "")?.[0]);
      request.resume().on("end", () => response.writeHead(status, { Location: `${trapUrl}/secret` }).end());
    }),
  );
  redirectorUrl = urlOf(redirector);
});
afterAll(() => {
  for (const server of [trap, redirector]) server.close().closeAllConnections();
});
beforeEach(() => {
  [trapped, redirected] = [[], 0];
});

const file = join(mkdtempSync(join(tmpdir(), "porchlight-")), "file");

/** Every client of the relay that calls an address of the owner's settings. Each sends one request to `base`, below `path`. */
const CLIENTS: { [name: string]: (base: string, path: string) => Promise<unknown> } = {
  async "webhooks, the guard, alerts and billing"(base, path) {
    const hooks = createHooks();
    return hooks
      .post({ url: `${base}/${path}`, secret: "whsec_AAAA", id: "msg_1", body: "{}" }, 0)
      .finally(hooks.close);
  },
  async "replies for other relays"(base, path) {
    const forward = createForward(`${base}/${path}`);
    return forward.post("{}", "application/json").finally(forward.close);
  },
  async "calls of the service"(base, path) {
    const transport = createTransport({ baseUrl: `${base}/${path}`, key: () => "the-key-0123456789" });
    const call = { method: "POST", path: "/x", auth: "query", body: {} } as const;
    return transport.call(call).finally(transport.close);
  },
  async "files put into a bucket"(base, path) {
    writeFileSync(file, "words");
    const files = createS3Files(bucket(base, path));
    return files.put("key", file, "text/plain").catch(String).finally(files.close);
  },
  async "files read from a bucket"(base, path) {
    const files = createS3Files(bucket(base, path));
    const bytes = await files.get("key").catch(() => undefined);
    bytes?.resume();
    return files.close?.();
  },
};
const bucket = (endpoint: string, prefix: string) => ({
  endpoint,
  bucket: "bucket",
  prefix: `${prefix}/`,
  region: "eu-1",
  keyId: "id",
  secret: "a secret",
});

describe("an address that answers with a redirect", () => {
  it.each(Object.entries(CLIENTS))("is requested, but the target of the redirect is not: %s", async (_, call) => {
    for (const status of [301, 302, 303, 307, 308]) await call(redirectorUrl, String(status));
    expect([redirected, trapped]).toEqual([5, []]);
    // Control: the trap receives the same request when it is sent there directly.
    await call(trapUrl, "control");
    expect(trapped).toEqual([expect.stringContaining("/control")]);
  });
});

/** Spellings of another machine that resemble this one, and of addresses with a user. */
const DISGUISED = [
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example",
  "http://127.evil.example",
  "http://evil.example#127.0.0.1",
  "http://evil.example?127.0.0.1",
  "http://127.0.0.1@evil.example",
  "http://localhost:80@evil.example",
  "http://evil.example\\@127.0.0.1",
  "http://192.168.0.1",
  "http://10.0.0.1",
  "http://169.254.169.254",
  "http://0.0.0.0",
  "http://0",
  "http://134744072",
  "http://0x8.8.8.8",
  "http://010.8.8.8",
  "http://[::ffff:8.8.8.8]",
  "http://[::ffff:169.254.169.254]",
  "http://[::]",
  "http://[fe80::1]",
  "http://[64:ff9b::7f00:1]",
  "http://①②⑧.0.0.1",
];
/** The ways to spell this machine that `URL` reads as such. */
const LOOPBACK = ["http://127.0.0.1", "http://localhost", "http://[::1]", "http://2130706433", "http://0x7f.1"].concat(
  ...["http://127.1", "http://017700000001", "http://[::ffff:127.0.0.1]", "http://LOCALHOST", "http://127.9.9.9:81"],
);
const WITH_USER = ["https://user@a.example", "https://user:word@a.example", "https://:word@a.example"];
const SCHEMES = [
  "file:///etc/passwd",
  "ftp://a.example",
  "gopher://a.example",
  "data:text/plain,x",
  "javascript:1",
  "//a",
];

const isRefused = (parse: () => unknown): boolean => {
  try {
    parse();
    return false;
  } catch {
    return true;
  }
};
const accepted = (parse: (given: string) => unknown, given: readonly string[]): string[] =>
  given.filter((each) => !isRefused(() => parse(each)));
const endpoint = (given: string): unknown => bucketOf(`s3://bucket?endpoint=${encodeURIComponent(given)}`);
const service = (given: string): unknown => {
  const transport = createTransport({ baseUrl: given, key: () => "" });
  return transport.close();
};

describe("an address in the settings", () => {
  const WITH_SECRET = { postAddress, assertPrivate, service, "endpoint of a bucket": endpoint };

  it.each(Object.entries(WITH_SECRET))("gets no secret over plain http, except on this machine: %s", (_, parse) => {
    expect(accepted(parse, DISGUISED)).toEqual([]);
    expect(accepted(parse, LOOPBACK)).toEqual(LOOPBACK);
    expect(accepted(parse, ["https://a.example", "https://10.0.0.1"])).toHaveLength(2);
  });

  it.each(Object.entries({ webAddress, rootAddress, postAddress, "endpoint of a bucket": endpoint }))(
    "has no user, no password and no other scheme: %s",
    (_, parse) => {
      expect(accepted(parse, [...WITH_USER, ...SCHEMES])).toEqual([]);
      expect(accepted(parse, ["https://a.example"])).toHaveLength(1);
    },
  );

  it("of the relay has no path, and the mail server's has nothing but user, password, host and port", () => {
    expect(accepted(rootAddress, ["https://a.example/b", "https://a.example?b", "https://a.example#b"])).toEqual([]);
    const wrong = ["http://a.example", "smtp://", "smtp://a.example/x", "smtp://a.example?x", "smtp://a.example#x"];
    expect(accepted(smtp, [...wrong, ...SCHEMES])).toEqual([]);
    expect(accepted(smtp, ["smtps://user:word@a.example:465"])).toHaveLength(1);
    expect(accepted(backupTo, ["s3://b/../c?x=1", "s3://user@b", "s3://B", "s3://b?endpoint=http://10.0.0.1"])).toEqual(
      [],
    );
  });
});

describe("an address in a reply (A20)", () => {
  it("is a file of the reply only when the file is in the address itself", () => {
    const urls = [...DISGUISED, ...LOOPBACK, ...WITH_USER, ...SCHEMES.filter((url) => !url.startsWith("data:"))];
    expect(urls.filter((url) => parseDataUrl(url) !== undefined)).toEqual([]);
    const fileOf = (mediaUrl: string): unknown => {
      const callback = parseCallback(JSON.stringify({ toId: "v_1", channel: "website", body: "see", mediaUrl }));
      return callback.kind === "reply" ? callback.file : callback.kind;
    };
    expect(new Set(urls.map(fileOf))).toEqual(new Set([undefined]));
    expect(fileOf("data:text/plain,words")).toBe("data:text/plain,words");
  });
});

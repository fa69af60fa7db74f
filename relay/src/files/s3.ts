import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { AwsV4Signer } from "aws4fetch";
import { Agent, type Dispatcher } from "undici";
import type { Bucket } from "../base/config.ts";
import type { ByteRange, Files } from "./store.ts";

const CONNECT_MS = 5_000;
/** Longest wait for an answer, and between two parts of it, in milliseconds. */
const ANSWER_MS = 30_000;

/**
 * Whether an answer has the requested bytes. A store that ignores ranges sends the whole file, which is longer than the length that
 * the relay announces: the client would read the rest as the next answer (RFC 9112 section 6.3).
 */
function hasRange({ statusCode, headers }: Dispatcher.ResponseData, span: ByteRange | undefined): boolean {
  if (span === undefined) return statusCode === 200;
  const length = headers["content-length"];
  if (length === undefined) return statusCode === 206;
  return (statusCode === 200 || statusCode === 206) && Number(length) === span.to - span.from + 1;
}

/**
 * Stores files in a private bucket of an S3-compatible store. Browsers and the service reach them only through the relay, so
 * every answer has the same security headers (RELIABILITY 3e.8). Uploads pass through the relay too, because it checks their
 * bytes. The payload is not signed (`UNSIGNED-PAYLOAD`), so no file is read twice; TLS protects it.
 */
export function createS3Files(bucket: Bucket): Files {
  const { endpoint, region, keyId, secret } = bucket;
  // The bucket is part of the path, not of the host name: every implementation supports that.
  const agent = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });

  /** Sends a signed request. Errors name the method and the status, never an address or a header. */
  async function call(
    method: "GET" | "PUT" | "DELETE",
    key: string,
    { headers = {}, body = null }: { headers?: Record<string, string>; body?: Readable | null } = {},
  ): Promise<Dispatcher.ResponseData> {
    const url = `${endpoint}/${bucket.bucket}/${bucket.prefix}${key}`;
    const signer = new AwsV4Signer({
      method,
      url,
      headers,
      service: "s3",
      region,
      accessKeyId: keyId,
      secretAccessKey: secret,
    });
    const signed = await signer.sign();
    const { origin, pathname } = signed.url;
    return agent.request({ origin, path: pathname, method, headers: Object.fromEntries(signed.headers), body });
  }

  async function assertStored(method: "PUT" | "DELETE", answer: Dispatcher.ResponseData): Promise<void> {
    await answer.body.dump();
    const { statusCode } = answer;
    if (statusCode >= 300 && !(method === "DELETE" && statusCode === 404))
      throw new Error(`The file store answered ${statusCode} to ${method}`);
  }

  return {
    async put(key, path, type) {
      const { size } = await stat(path);
      const headers = { "content-type": type, "content-length": String(size) };
      await assertStored("PUT", await call("PUT", key, { headers, body: createReadStream(path) }));
      await rm(path, { force: true });
    },
    async get(key, span) {
      const headers = span === undefined ? {} : { range: `bytes=${span.from}-${span.to}` };
      const answer = await call("GET", key, { headers });
      if (hasRange(answer, span)) return answer.body;
      await answer.body.dump();
      if (answer.statusCode === 404) return undefined;
      throw new Error(`The file store answered ${answer.statusCode} to GET`);
    },
    async remove(key) {
      await assertStored("DELETE", await call("DELETE", key));
    },
    close: () => agent.close(),
  };
}

import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * A fake S3 store for the part of the protocol that the relay uses: PUT, GET with ranges, and DELETE of objects. It verifies
 * each version 4 signature from the specification, without the relay's library.
 */
export type FakeBucket = {
  /** `s3://…` address with this store's endpoint. */
  url: string;
  keyId: string;
  secret: string;
  objects: Map<string, { type: string; bytes: Buffer }>;
  /** Method and address of each request with an invalid signature. */
  forged: string[];
  /** Answers 503 while it is on. */
  failing: (on: boolean) => void;
  /** Sends whole files instead of ranges while it is on. */
  ignoringRanges: (on: boolean) => void;
  stop: () => Promise<void>;
};

const KEY_ID = "AKIATESTSTORE";
const SECRET = "secret/of+the/store";
const REGION = "eu-test-1";

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The signature that a request must have: canonical request, string to sign, derived key. */
function signatureOf({ method = "", url = "", headers }: IncomingMessage, signed: string[], scope: string): string {
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join("");
  const hash = String(headers["x-amz-content-sha256"]);
  const canonical = [method, url, "", lines, signed.join(";"), hash].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha(canonical)].join("\n");
  const [date = "", region = "", service = "", end = ""] = scope.split("/");
  const key = [region, service, end].reduce<Buffer>(hmac, hmac(`AWS4${SECRET}`, date));
  return hmac(key, toSign).toString("hex");
}

function isGenuine(request: IncomingMessage): boolean {
  const header = request.headers.authorization ?? "";
  const [, scope = "", signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIATESTSTORE\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(header) ?? [];
  const names = signed.split(";");
  const whole = ["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name));
  return whole && scope.endsWith(`/${REGION}/s3/aws4_request`) && signature === signatureOf(request, names, scope);
}

/** Starts an empty store on a free port of this machine. */
export async function startBucket(): Promise<FakeBucket> {
  const objects: FakeBucket["objects"] = new Map();
  const forged: string[] = [];
  let failing = false;
  let ignoringRanges = false;
  const server = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    const body = await buffer(request);
    const answer = (status: number, more: Record<string, string> = {}, bytes?: Buffer) =>
      void response.writeHead(status, more).end(bytes);
    if (failing) return answer(503);
    if (!isGenuine(request)) {
      forged.push(`${method} ${url}`);
      return answer(403);
    }
    if (method === "PUT") {
      if (headers["content-length"] === undefined) return answer(411);
      objects.set(url, { type: headers["content-type"] ?? "", bytes: body });
      return answer(200);
    }
    const object = objects.get(url);
    if (method === "DELETE") return answer(objects.delete(url) ? 204 : 404);
    if (object === undefined) return answer(404);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (from === undefined || ignoringRanges) {
      return answer(200, { "Content-Type": object.type, "Content-Length": String(object.bytes.length) }, object.bytes);
    }
    return answer(206, { "Content-Type": object.type }, object.bytes.subarray(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `s3://chat-files/uploads?region=${REGION}&endpoint=${endpoint}`,
    keyId: KEY_ID,
    secret: SECRET,
    objects,
    forged,
    failing(on) {
      failing = on;
    },
    ignoringRanges(on) {
      ignoringRanges = on;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

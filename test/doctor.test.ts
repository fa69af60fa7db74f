import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, KEY, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { porchlight } from "./shell.ts";

let harness: Harness;
beforeAll(async () => {
  // The doctor calls the service once, so a random fault at that moment would be a finding.
  harness = await startHarness({ sandbox: NO_RANDOM_FAULTS });
});
afterAll(() => harness.stop());

type Finding = { check: string; ok: boolean; found: string; cure?: string };
/** Restarts the relay with these settings. @returns the doctor's findings about it */
const restartAndExamine = async (env: Record<string, string> = {}) => {
  await harness.halt();
  await harness.start(env);
  return examine();
};
/** The doctor's findings on the command line, whether a relay runs or not. */
const examine = async (env: Record<string, string> = {}) => {
  const { code, out } = await porchlight(harness, ["doctor", "--json"], env);
  const findings = JSON.parse(out) as Finding[];
  return { code, all: findings, of: (check: string) => findings.find((finding) => finding.check === check) };
};

/** A server that answers every request. @param otherKey its status for requests with another key than the account's */
async function startServer(
  status: number,
  body: string,
  headers = {},
  otherKey = status,
): Promise<{ url: string; stop: () => void }> {
  const server = createServer(({ url = "" }, response) => {
    const known = new URL(url, "http://localhost").searchParams.get("apiKey") === KEY;
    response.writeHead(known ? status : otherKey, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}

const NOT_FOUND = '{"error":{"code":"NOT_FOUND","message":"Contact not found"}}';

describe("the doctor", () => {
  it("fetches a test file by its link, as the service does, and deletes it", async () => {
    const { of, all } = await restartAndExamine({ PUBLIC_URL: harness.url });
    expect(of("media links")).toMatchObject({ ok: true, found: expect.stringContaining("came back complete") });
    expect(of("file store")?.ok).toBe(true);
    expect(of("callback address")?.found).toContain("answers, but is an address of this machine only");
    const found = readdirSync(harness.dataDir, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const files = found.map(({ parentPath, name }) => relative(harness.dataDir, join(parentPath, name)));
    // The widget's own files are kept for tabs that stay open during an upgrade.
    expect(files.filter((path) => !/^(porchlight\.db|relay\.(lock|json)|secrets\.json|assets\/)/.test(path))).toEqual(
      [],
    );
    expect(all.filter(({ ok, cure }) => ok === (cure !== undefined))).toEqual([]);
  });

  it("reports an address that another server answers: a login page, another site", async () => {
    for (const [status, body] of [
      [200, "<h1>Welcome</h1>"],
      [401, "log in first"],
      [404, "not here"],
    ] as const) {
      const other = await startServer(status, body);
      const { of } = await restartAndExamine({ PUBLIC_URL: other.url });
      expect(of("media links"), `${status}`).toMatchObject({ ok: false, cure: expect.stringContaining("/media/") });
      expect(of("callback address"), `${status}`).toMatchObject({
        ok: false,
        cure: expect.stringContaining("/callbacks/"),
      });
      other.stop();
    }
  });

  it("reports an address in a private network, and plain http, without a request to it", async () => {
    const near = await restartAndExamine({ PUBLIC_URL: "https://10.11.12.13", TRUST_PROXY: "1" });
    expect(near.of("callback address")).toMatchObject({
      ok: false,
      found: expect.stringContaining("machines of a private network"),
      cure: "Let the DNS entry of `10.11.12.13` name a public address.",
    });
    expect(near.of("proxy")?.ok).toBe(true);
    const plain = await restartAndExamine({ PUBLIC_URL: "http://10.11.12.13", ALLOWED_ORIGINS: "http://127.evil.com" });
    expect(plain.of("callback address")).toMatchObject({ found: expect.stringContaining("plain http") });
    // A name that only begins like a loopback address.
    expect(plain.of("origins of site default")).toMatchObject({ ok: false });
  });

  it("reports an address where every request is answered 404, or every request succeeds", async () => {
    for (const [status, body] of [
      [404, NOT_FOUND],
      [404, ""],
      [200, "{}"],
    ] as const) {
      const other = await startServer(status, body);
      const { of } = await restartAndExamine({ SERVICE_URL: `${other.url}/v1` });
      expect(of("key of account default"), body).toMatchObject({
        ok: false,
        found: expect.stringContaining("does not refuse a wrong key"),
        cure: expect.stringContaining("/v1"),
      });
      other.stop();
    }
  });

  it("reports an address of a web server that answers with a page, or refuses the method", async () => {
    for (const [status, body, found] of [
      [200, "<h1>Shop</h1>", "(200: the answer is not JSON)"],
      [405, "", "(405)"],
    ] as const) {
      const other = await startServer(status, body);
      const { of } = await restartAndExamine({ SERVICE_URL: `${other.url}/v1` });
      expect(of("key of account default")).toMatchObject({
        ok: false,
        found: `${other.url}/v1 answers a look-up unlike the messaging service ${found}`,
        cure: "Set `SERVICE_URL` to the base address that the service names: it ends in `/v1`.",
      });
      other.stop();
    }
  });

  it("accepts an address that refuses a wrong key in the body of a 200 (R-007)", async () => {
    const refusing = createServer(({ url = "" }, response) => {
      const known = new URL(url, "http://localhost").searchParams.get("apiKey") === KEY;
      response.end(JSON.stringify({ success: false, error_code: known ? 404 : 401 }));
    });
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    const { port } = refusing.address() as AddressInfo;
    const { of } = await restartAndExamine({ SERVICE_URL: `http://127.0.0.1:${port}/v1` });
    refusing.close();
    expect(of("key of account default")).toMatchObject({ ok: true });
  });

  it("makes no call with a refused key, and reports why the account waits", async () => {
    await restartAndExamine({ SERVICE_API_KEY: "an-old-key" });
    const lookups = () => harness.sandbox.requests().filter(({ path }) => path.includes("/contacts")).length;
    const before = lookups();
    const { code, of } = await examine();
    expect([code, of("key of account default")]).toEqual([
      3,
      expect.objectContaining({
        found: expect.stringMatching(/refuses the key \(401/),
        cure: expect.stringContaining("to `SERVICE_API_KEY`, and restart the relay"),
      }),
    ]);
    // The only call is the one with a random key.
    expect(lookups() - before).toBe(1);
  });

  it("says that the service does not answer, or answers every call with an error, and that messages wait", async () => {
    const gone = await startServer(200, "");
    gone.stop();
    const failing = await startServer(503, "{}");
    for (const [url, found] of [
      [`${gone.url}/v1`, "does not answer (ECONNREFUSED)"],
      [`${failing.url}/v1`, "answers 503 to every call"],
    ] as const) {
      await restartAndExamine({ SERVICE_URL: url });
      // The first look-up failed, so the relay waits before its next call.
      const { of } = await examine();
      expect(of("key of account default")).toMatchObject({
        ok: false,
        found: `${url} ${found}`,
        cure: expect.stringContaining("messages wait"),
      });
    }
    failing.stop();
    await restartAndExamine({ SERVICE_URL: `${gone.url}/v1` });
    expect((await examine()).of("clock beside account default")).toBeUndefined();
  });

  it("says what to do in sentences that need no other cell of the table", async () => {
    const { all } = await restartAndExamine({ ALLOWED_ORIGINS: "http://shop.example" });
    const cures = Object.fromEntries(all.map(({ check, cure }) => [check, cure]));
    expect(cures).toMatchObject({
      "callback address": "Set `PUBLIC_URL` to the address at which the service can reach this relay.",
      "origins of site default": "Serve `http://shop.example` over https.",
    });
    const away = await restartAndExamine({ PUBLIC_URL: "https://nowhere.invalid", TRUST_PROXY: "1" });
    expect(away.of("callback address")?.cure).toBe("Add `nowhere.invalid` to your DNS.");
    expect(away.of("media links")?.cure).toContain("Correct the callback address first");
  });

  it("compares the clock with the service's clock", async () => {
    const late = { Date: new Date(Date.now() - 600_000).toUTCString(), "Content-Type": "application/json" };
    const service = await startServer(404, NOT_FOUND, late, 401);
    const { of } = await restartAndExamine({ SERVICE_URL: `${service.url}/v1` });
    service.stop();
    expect(of("key of account default")?.ok).toBe(true);
    expect(of("clock beside account default")).toMatchObject({
      ok: false,
      found: expect.stringMatching(/^(599|6\d\d) s/),
    });
    expect((await restartAndExamine()).of("clock beside account default")?.ok).toBe(true);
  });

  it("names the folder that cannot store the data, and why, instead of retrying forever", async () => {
    const file = join(harness.dataDir, "a-file");
    writeFileSync(file, "");
    for (const [folder, found, cure] of [
      ["/proc/porchlight", /holds no data of a relay|does not exist/, /Set DATA_DIR to/],
      [file, /is a file, not a folder/, /Name a folder/],
      [join(file, "below"), /holds no data of a relay|does not exist/, /Set DATA_DIR to/],
    ] as const) {
      const { code, of } = await examine({ DATA_DIR: folder });
      expect([code, of("data")?.found, of("data")?.cure]).toEqual([
        3,
        expect.stringMatching(found),
        expect.stringMatching(cure),
      ]);
      expect(await porchlight(harness, ["serve"], { DATA_DIR: folder })).toMatchObject({
        code: 1,
        err: expect.stringMatching(found),
      });
    }
  });

  it("says what to do when the data cannot be opened, like every other command", async () => {
    const broken = join(harness.dataDir, "broken.db");
    writeFileSync(broken, "this is no database, whatever its name says".repeat(100));
    const env = { DATABASE_URL: `sqlite:${broken}` };
    await harness.halt();
    const { code, of } = await examine(env);
    expect([code, of("data")?.cure]).toEqual([3, expect.stringContaining("newest backup")]);
    expect(await porchlight(harness, ["credits", "list"], env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^DATA_DIR: .*not a database.*porchlight doctor/),
    });
  });
});

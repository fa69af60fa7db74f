import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, KEY, OWNER, startHarness } from "./harness.ts";
import { runProcess } from "./relays.ts";

/** Every spelling of the key that must not appear in outputs. */
const SPELLINGS = [
  KEY,
  encodeURIComponent(KEY),
  JSON.stringify(KEY).slice(1, -1),
  new URLSearchParams({ k: KEY }).toString().slice(2),
  Buffer.from(KEY).toString("base64"),
  OWNER,
];

const leaks = (text: string): string[] => SPELLINGS.filter((secret) => text.includes(secret));

describe("the account's key and the owner's user id", () => {
  let harness: Harness;
  const answers: string[] = [];

  /** Sends a request, and records everything that the relay answers, including headers. */
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(`${harness.url}${path}`, { redirect: "manual", ...init });
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    answers.push(headers.join("\n"), await response.clone().text());
    return response;
  }

  beforeAll(async () => {
    harness = await startHarness({ run: runProcess });
  });
  afterAll(() => harness.stop());

  it("reaches the service unchanged although it contains special characters (4.13-4; R-502)", async () => {
    const visitor = harness.visitor();
    await visitor.greet();
    expect(harness.sandbox.state().counts.authFailures).toBe(0);
    answers.push(JSON.stringify(visitor.log()));
  });

  it("appears in no response, whatever is requested (4.13-23; R-504, R-506)", async () => {
    const callback = new URL(harness.callbackUrl).pathname;
    const bodies = ["{", "[]", "null", '{"userId":"x"}', JSON.stringify({ toId: KEY, userId: OWNER, body: "x" })];
    await ask("/widget.js");
    await ask("/w/default.js");
    await ask("/nothing-here");
    await ask(`/w/${encodeURIComponent(KEY)}.js`);
    await ask("/healthz");
    await ask("/readyz");
    await ask(callback);
    for (const body of bodies) {
      await ask(callback, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    }
    expect(leaks(answers.join("\n"))).toEqual([]);
  });

  it("appears in no log line, even when the service fails in every possible way (4.13-23; R-504, R-506)", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const { sandbox } = harness;
    sandbox.failNext("incoming", 1, 500);
    sandbox.failNext("incoming", 1, "htmlError");
    sandbox.failNext("incoming", 1, "resetConnection");
    sandbox.failNext("incoming", 1, {
      kind: "status",
      status: 503,
      body: `echo ${sandbox.url}?apiKey=${KEY} ${OWNER}`,
    });
    await visitor.send("through trouble");
    await visitor.receives("echo: through trouble");
    sandbox.failNext("incoming", 1, { kind: "status", status: 400, body: { error: `apiKey=${KEY} of ${OWNER}` } });
    await visitor.send("refused");
    await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
    await harness.halt();
    expect(harness.lines().length).toBeGreaterThan(5);
    expect(leaks(harness.lines().join("\n"))).toEqual([]);
    expect(leaks(JSON.stringify(visitor.log()))).toEqual([]);
    await harness.start();
  });

  it("appears in no file of the build, and in no file that the relay writes", async () => {
    await harness.halt();
    const files = [join(import.meta.dirname, "..", "widget", "dist"), harness.dataDir].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => leaks(readFileSync(file, "latin1")).length > 0)).toEqual([]);
    await harness.start();
  });
});

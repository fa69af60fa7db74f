import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createLog } from "./log.ts";
import { createRecent } from "./recent.ts";

function record() {
  const lines: string[] = [];
  const target = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, target };
}

it("redacts secrets in every encoding, whatever characters they contain", () => {
  const { lines, target } = record();
  const secret = 'key+/=$1 (.*)|"^\\';
  const log = createLog({ level: "info", secrets: () => [[secret], ["other-secret-1"]], target });
  const spelt = [secret, encodeURIComponent(secret), new URLSearchParams([["k", secret]]).toString()];
  log("relay.internal", { cause: `${spelt.join(" ")} other-secret-1 short` });
  expect(lines[0]).toContain("[redacted]");
  expect(lines[0]).not.toMatch(/key[+%]|other-secret/);
  expect(lines[0]).toContain("short");
});

it("rebuilds its list of secrets only when it changes, and keeps the newest hundred owner ids", () => {
  const { lines, target } = record();
  const owners = createRecent(100);
  let walks = 0;
  const watched = new WeakMap<readonly string[], readonly string[]>();
  const get = (of: readonly string[], name: string | symbol): unknown => {
    if (name === "filter") walks++;
    return Reflect.get(of, name);
  };
  const secrets = () => {
    const list = owners.all();
    const known = watched.get(list) ?? new Proxy(list, { get });
    watched.set(list, known);
    return [known];
  };
  const log = createLog({ level: "info", secrets, target });
  for (let n = 0; n < 10_000; n++) owners.add(`usr_owner_${n}`);
  for (let n = 0; n < 1_000; n++) log("relay.started", { said: `usr_owner_9999 ${n}` });
  expect(walks).toBe(1);
  expect(owners.all()).toHaveLength(100);
  owners.add("usr_somebody");
  log("relay.started", { said: "usr_somebody" });
  expect(walks).toBe(2);
  expect(lines.filter((line) => /usr_(owner_9999|somebody)/.test(line))).toEqual([]);
});

it("keeps line ends and terminal codes of foreign texts within one line of JSON (A31)", () => {
  const { lines, target } = record();
  const reason = '\r\n\u2028\u001b[2J\u009b31m\u007f\u202e"}\n{"event":"forged"}';
  createLog({ level: "info", target })("identity.refused", { reason });
  expect(lines.join("").search(/[^\P{Cc}\n]|\n.|[\u2028\u202e]/u)).toBe(-1);
  expect(JSON.parse(lines.join(""))).toMatchObject({ event: "identity.refused", reason });
});

it("writes the time of each line, in milliseconds", async () => {
  const { lines, target } = record();
  const log = createLog({ level: "info", target });
  const timeOfNext = (): string => {
    log("relay.started");
    return JSON.parse(lines.at(-1) ?? "").time;
  };
  const before = Date.now();
  const first = timeOfNext();
  expect(new Date(first).toISOString()).toBe(first);
  expect(Date.parse(first)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(first)).toBeLessThanOrEqual(Date.now());
  await expect.poll(timeOfNext, { interval: 1 }).not.toBe(first);
});

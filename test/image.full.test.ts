/**
 * The image of relay/deploy/Containerfile, built and run as a container. Only machines with the programs for it run this file:
 * test/setup/image.ts, vitest.config.ts.
 */

import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";
import { buildImage, type Image } from "./setup/image.ts";

let image: Image;
beforeAll(() => {
  image = buildImage();
}, 1_800_000);
afterAll(() => image?.remove());

it("is at most 150 MB larger than its base", () => {
  expect(image.size - image.baseSize).toBeLessThan(150 * 1024);
  expect(image.size - image.baseSize).toBeGreaterThan(0);
});

describe("a container of the image", () => {
  let harness: Harness;
  let pid: number;
  beforeEach(async () => {
    harness = await startHarness({
      async run(env) {
        const running = await image.run(env);
        pid = running.pid;
        return running;
      },
    });
  });
  afterEach(() => harness.stop());

  const status = (name: string): string =>
    new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";

  it("answers a visitor", async () => {
    const visitor = harness.visitor();
    await visitor.greet();
  });

  it("has no rights, and writes to its volume only", async () => {
    expect(["Uid", "Gid", "CapEff", "CapBnd"].map(status)).toEqual(["1000", "1000", "0".repeat(16), "0".repeat(16)]);
    const writable: string[] = [];
    for (const folder of ["/", "/opt/porchlight", "/opt/porchlight/relay", "/home/node", "/var/lib/porchlight"])
      if ((await image.exec("touch", `${folder}/file`)).status === 0) writable.push(folder);
    expect(writable).toEqual(["/var/lib/porchlight"]);
  });

  it("passes its health check, and porchlight works in it", async () => {
    const [kind, ...check] = image.config.Healthcheck.Test;
    expect([kind, (await image.exec(...check)).status]).toEqual(["CMD", 0]);
    const { stdout } = await image.exec("porchlight", "doctor");
    const failed = stdout.split("\n").filter((line) => line.startsWith("FAIL"));
    // The service on the internet could not reach this machine.
    expect(failed.map((line) => line.split(":")[0])).toEqual(["FAIL  callback address"]);
    expect(stdout).toContain(`process 1 runs on /var/lib/porchlight, port ${new URL(harness.url).port}`);
    expect((await image.exec("porchlight", "site")).stdout).toContain(`data-site="default"`);
  });

  it("ends its work when it is stopped, and keeps its data for the next one", async () => {
    const visitor = harness.visitor();
    await visitor.greet("before");
    await harness.halt();
    expect(harness.lines().at(-1)).toContain('"relay.stopped"');
    await harness.start();
    await visitor.drop();
    await visitor.greet("after");
    expect(visitor.log().map(({ text }) => text)).toEqual(["before", "echo: before", "after", "echo: after"]);
  });
});

/** The files of relay/deploy for one machine: the unit files, checked by systemd, and the processes of compose.yaml. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startCaddy } from "./caddy.ts";
import { type Harness, startHarness } from "./harness.ts";
import { freePort } from "./ports.ts";
import { runProcess } from "./relays.ts";
import type { Front } from "./setup/front.ts";
import { ensureAll } from "./setup/install.ts";
import { createVisitor } from "./visitor.ts";

const ROOT = join(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "relay", "deploy");

describe("the unit files", () => {
  const UNITS = ["porchlight.service", "porchlight.socket"];
  let folder: string;
  beforeAll(() => ensureAll([{ names: ["systemd-analyze"], package: "systemd" }]));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "porchlight-units-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What systemd says about the units, with the repository at its place on this machine. @param change of each file's text */
  function verified(change: (text: string) => string = (text) => text) {
    for (const name of UNITS) {
      const unit = readFileSync(join(DEPLOY, name), "utf8").replaceAll("/opt/porchlight", ROOT);
      writeFileSync(join(folder, name), change(unit));
    }
    const paths = UNITS.map((name) => join(folder, name));
    const flags = ["--man=no", "--recursive-errors=no"];
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...flags, ...paths], { encoding: "utf8" });
    return { status, stderr };
  }

  it("pass the check of systemd", () => {
    expect(verified()).toEqual({ status: 0, stderr: "" });
  });

  it("would not pass it with an unknown key or value", () => {
    expect(verified((text) => text.replace("RestartSec=", "RestartSecs=")).stderr).toContain("RestartSecs");
    expect(verified((text) => text.replace("KillMode=mixed", "KillMode=mix")).status).not.toBe(0);
  });
});

describe("the processes of compose.yaml: one relay with SQLite, and Caddy", () => {
  type Service = { environment: Record<string, string> };
  const { services } = parse(readFileSync(join(DEPLOY, "compose.yaml"), "utf8")) as {
    services: { relay: Service };
  };
  let harness: Harness;
  let caddy: Front;
  beforeEach(async () => {
    const port = await freePort();
    const env = { ...services.relay.environment, PUBLIC_URL: `http://127.0.0.1:${port}` };
    harness = await startHarness({ run: runProcess, env });
    const relay = Number(new URL(harness.url).port);
    caddy = await startCaddy(readFileSync(join(DEPLOY, "Caddyfile"), "utf8"), port, [relay]);
    harness.sandbox.configure({ callbackUrl: harness.callbackUrl.replace(harness.url, caddy.url) });
  });
  afterEach(async () => {
    await caddy?.stop();
    await harness?.stop();
  });

  it("serve the widget, and a visitor chats through Caddy", async () => {
    const visitor = createVisitor(caddy.url, { origin: harness.host });
    await visitor.connect();
    await visitor.send("through Caddy");
    await visitor.receives("echo: through Caddy");
    await visitor.drop();
    const script = await fetch(`${caddy.url}/widget.js`);
    expect([script.status, (await script.text()).length > 1_000]).toEqual([200, true]);
  });
});

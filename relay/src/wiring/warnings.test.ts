import { expect, it } from "vitest";
import { readSettings } from "../base/config.ts";
import type { LogEvent } from "../base/log.ts";
import { logWarnings } from "./warnings.ts";

const SOUND = {
  SERVICE_URL: "https://service.example/v1",
  SERVICE_API_KEY: "key",
  ALLOWED_ORIGINS: "https://shop.example",
};

/** What is logged for these settings. */
function warningsFor(env: Record<string, string>, key = "key"): [LogEvent, unknown][] {
  const read = readSettings({ ...SOUND, ...env });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const logged: [LogEvent, unknown][] = [];
  logWarnings(
    read.settings,
    () => key,
    (event, fields) => void logged.push([event, fields?.warning]),
  );
  return logged;
}

it("is silent about settings that are sound", () => {
  expect(warningsFor({})).toEqual([]);
  expect(warningsFor({ DATABASE_URL: "postgres://u:p@db/chat", REDIS_URL: "redis://cache" })).toEqual([]);
});

it("warns of a missing key, of plain HTTP, of an unusual path, and of a site without origins", () => {
  expect(warningsFor({}, "")).toEqual([["relay.key_missing", undefined]]);
  expect(warningsFor({ SERVICE_URL: "http://service.example/v1", ALLOW_INSECURE_SERVICE: "1" })).toEqual([
    ["relay.insecure", undefined],
  ]);
  expect(warningsFor({ SERVICE_URL: "https://service.example/api" })).toEqual([
    ["settings.warning", expect.stringContaining("/v1")],
  ]);
  expect(warningsFor({ ALLOWED_ORIGINS: "" })).toEqual([["relay.origins", undefined]]);
});

it("warns of REDIS_URL beside SQLite, where it has no effect", () => {
  expect(warningsFor({ REDIS_URL: "redis://cache" })).toEqual([
    ["settings.warning", expect.stringContaining("REDIS_URL has no effect on SQLite")],
  ]);
});

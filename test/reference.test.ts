import { afterAll, beforeAll, expect, it } from "vitest";
import { WEBHOOKS } from "../relay/src/hooks/payloads.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { tokenFor } from "./tokens.ts";

let harness: Harness;
let page: string;
let token: string;
let visitor: string;
let contact: string;
beforeAll(async () => {
  harness = await startHarness({ sandbox: NO_UNKNOWN_OUTCOMES, account: { credits: { mode: "manual" } } });
  harness.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: "ada@example.com" }] });
  const somebody = harness.visitor();
  await somebody.greet();
  contact = harness.sandbox.state().contacts[0]?.id ?? "";
  visitor = harness.sandbox.messages()[0]?.fromId ?? "";
  token = await tokenFor(harness);
  page = await (await fetch(`${harness.url}/api`)).text();
});
afterAll(() => harness.stop());

const plain = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

type Call = { method: string; path: string; body: string | undefined };
/** The examples of the page, in an order in which each can run after the one before: deletions come last. */
function examples(): Call[] {
  const found = [...page.matchAll(/<pre class="curl"[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text = ""]) => {
    const [, method = "GET", path = ""] = /^curl (?:-X (\w+) )?http[^/]*\/\/[^/]+(\S+)/.exec(plain(text)) ?? [];
    return { method, path, body: /-d '([\s\S]*)'$/.exec(plain(text))?.[1] };
  });
  const late = ({ method, path }: Call): number =>
    method === "DELETE" ? (path.endsWith("v_VISITOR") ? 3 : 2) : path.includes("?") ? 1 : 0;
  return found.toSorted((one, other) => late(one) - late(other));
}

it("draws code without its backticks", () => {
  expect(page.replaceAll(/<pre[\s\S]*?<\/pre>/g, "").match(/`[^`]*`/g)).toBeNull();
});

it("has an example for every operation, and each is a valid call against the sandbox", async () => {
  const calls = examples();
  expect(calls).toHaveLength(Object.keys(OPERATIONS).length);
  const wrong: string[] = [];
  for (const [n, { method, path, body }] of calls.entries()) {
    const answer = await fetch(`${harness.url}${path.replace("v_VISITOR", visitor)}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(method === "GET" ? {} : { "Idempotency-Key": `example-${n}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: body.replace("v_VISITOR", visitor).replace("c_CONTACT", contact) }),
    });
    const text = await answer.text();
    // 404: the example uses an id of the reader's own message, lead or grant. 409: the state does not allow the operation.
    const fine = answer.ok || (answer.status === 404 && /\/[A-Z]+(\/|$)/.test(path)) || answer.status === 409;
    if (!fine) wrong.push(`${method} ${path} ${body ?? ""}: ${answer.status} ${text}`);
  }
  expect(wrong).toEqual([]);
});

it("shows every webhook with a payload that its schema allows", () => {
  for (const [name, { body }] of Object.entries(WEBHOOKS)) {
    const [, text = "{}"] = new RegExp(`aria-label="Payload of ${name}">([^<]*)<`).exec(page) ?? [];
    const payload = JSON.parse(plain(text)) as object;
    expect(Object.keys(payload).length, name).toBeGreaterThan(0);
    expect(body.safeParse(payload).error?.issues ?? [], name).toEqual([]);
  }
});

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Result } from "./attack.ts";
import { replyOf, type Testbed } from "./testbed.ts";

/** Wrong secrets: variants of the right one, names that mean something to code or paths, and texts that differ in one place. */
function wrongSecrets(secret: string, count: number): string[] {
  const variants = [
    "",
    "x",
    "%00",
    `${secret}%00`,
    `${secret}x`,
    secret.slice(1),
    secret.slice(0, -1),
    secret.toUpperCase(),
    `${secret}%20`,
  ];
  const names = [
    `../reply/x`,
    `${secret}/x`,
    "__proto__",
    "constructor",
    "undefined",
    "null",
    "*",
    "%2e%2e",
    `x?secret=${secret}`,
  ];
  const near = Array.from({ length: count }, (_, n) => {
    const at = n % secret.length;
    return (
      secret.slice(0, at) + String.fromCharCode(97 + ((secret.charCodeAt(at) + 1 + n) % 26)) + secret.slice(at + 1)
    );
  });
  return [...variants, ...names, ...near.filter((each) => each !== secret)];
}

/** A3: reply callbacks with wrong secrets. Succeeds with an answer other than 404, or when a reply is shown. */
export async function forgedCallbacks(testbed: Testbed): Promise<Result> {
  const { visitor, id } = await testbed.knownVisitor("words of A3");
  const secret = testbed.harness.callbackUrl.split("/").at(-1) ?? "";
  const tries = wrongSecrets(secret, testbed.count(10_000));
  let succeeded = 0;
  let address = testbed.address();
  for (const [n, each] of tries.entries()) {
    // The relay slows down an address that guesses often. This attack does not test that.
    if (n % 50 === 0) address = testbed.address();
    const url = `${testbed.harness.url}/callbacks/reply/${each}`;
    if ((await testbed.callback(replyOf(id, "forged"), { url, address })) !== 404) succeeded++;
  }
  const right = await testbed.callback(replyOf(id, "real"));
  await visitor.receives("real");
  succeeded += visitor.log().filter(({ text }) => text === "forged").length;
  return { tried: tries.length, succeeded, control: `the right secret answers ${right}, and the reply is shown` };
}

/** A4: posts a captured reply repeatedly, ten at a time. Succeeds when it is shown more than once. */
export async function replayedCallbacks(testbed: Testbed): Promise<Result> {
  const { visitor, id } = await testbed.knownVisitor("words of A4");
  const captured = replyOf(id, "only once");
  const tried = testbed.count(1_000);
  for (let n = 0; n < tried; n += 10) await Promise.all(Array.from({ length: 10 }, () => testbed.callback(captured)));
  await testbed.callback({ ...captured, messageId: randomUUID(), body: "only once" });
  await testbed.callback(replyOf(id, "the one after"));
  await visitor.receives("the one after");
  const shown = visitor.log().filter(({ text }) => text === "only once").length;
  return {
    tried,
    succeeded: Math.max(0, shown - 2),
    control: `under another messageId the reply is shown again: ${shown} in total`,
  };
}

/** A5: searches every log line of this run for the callback secret. */
export async function leakedSecret(testbed: Testbed): Promise<Result> {
  const { id } = await testbed.knownVisitor("words of A5");
  const secret = testbed.harness.callbackUrl.split("/").at(-1) ?? "";
  const spellings = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")];
  for (const body of ["{", "null", `{"toId":"${secret}"}`, JSON.stringify(replyOf(id, secret))])
    await testbed.callback(body);
  await testbed.callback(replyOf(id, "x"), { url: `${testbed.harness.callbackUrl}x` });
  const lines = testbed.harness.lines();
  const succeeded = lines.filter((line) => spellings.some((each) => line.includes(each))).length;
  const control = `the search finds the secret in the callback address: ${spellings.some((each) => testbed.harness.callbackUrl.includes(each))}`;
  return { tried: lines.length, succeeded, control: `${control}. Not automated: the logs of a proxy in front` };
}

/** A20: replies with addresses of this machine, in every field that could be fetched. Succeeds when the relay requests one. */
export async function forgedRequests(testbed: Testbed): Promise<Result> {
  const requested: string[] = [];
  const trap = createServer((request, response) => {
    requested.push(request.url ?? "");
    response.end();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const { port } = trap.address() as AddressInfo;
  const { visitor, id } = await testbed.knownVisitor("words of A20");
  const hosts = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0", "127.1", "017700000001"];
  const fields = ["mediaUrl", "mediaURL", "imageUrl", "fileUrl", "attachment", "url", "preview", "callbackUrl"];
  const tries = testbed.sample(
    hosts.flatMap((host) => fields.map((field) => ({ field, address: `http://${host}:${port}/${field}` }))),
  );
  for (const { field, address } of tries)
    await testbed.callback(
      replyOf(id, `see ${address} ![x](${address}) <img src=${address}>`, {
        [field]: address,
        media: [{ url: address }],
      }),
    );
  await testbed.callback(replyOf(id, "the last of A20"));
  await visitor.receives("the last of A20");
  const succeeded = requested.length;
  await fetch(`http://127.0.0.1:${port}/control`);
  trap.close();
  trap.closeAllConnections();
  return {
    tried: tries.length,
    succeeded,
    control: `the trap receives a real request: ${requested.includes("/control")}`,
  };
}

/** A39: reply callbacks for unknown ids. Succeeds when they leave rows. */
export async function unknownCallbacks(testbed: Testbed): Promise<Result> {
  const { id } = await testbed.knownVisitor("words of A39");
  const tried = testbed.count(5_000);
  // Messages that wait for the service have rows, which the relay removes after delivery.
  await testbed.delivered();
  const before = await testbed.rows();
  for (let n = 0; n < tried; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => testbed.callback(replyOf(`nobody-${n + i}`, "flood"))));
  const grown = (await testbed.rows()) - before;
  await testbed.callback(replyOf(id, "a real one"));
  const real = (await testbed.rows()) - before - grown;
  return { tried, succeeded: grown, control: `a reply for a known visitor writes ${real} row` };
}

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Told = { id: string; type: string; data: Record<string, unknown>; valid: boolean };

/** An owner's backend that takes webhooks and checks them as the Standard Webhooks text says, with code of its own. */
export async function startReceiver(secret: string) {
  const told: Told[] = [];
  const statuses: number[] = [];
  const answers: object[] = [];

  const valid = (headers: Record<string, unknown>, body: string): boolean => {
    const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
      String(headers[name]),
    );
    if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false;
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const expected = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`);
    const given = Buffer.from(signature ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { type, data, ...rest } = JSON.parse(body);
    const id = String(request.headers["webhook-id"]);
    told.push({ id, type, data: data ?? rest, valid: valid(request.headers, body) });
    response.writeHead(statuses.shift() ?? 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers.shift() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    told,
    /** Statuses of the next answers; 200 after them. */
    answerWith: (...next: number[]) => void statuses.push(...next),
    /** Bodies of the next answers. */
    say: (...next: object[]) => void answers.push(...next),
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

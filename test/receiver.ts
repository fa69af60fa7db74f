import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type ReceivedEvent = { id: string; type: string; data: Record<string, unknown>; body: string; valid: boolean };

/** The secret with which relays of the tests sign webhooks (Standard Webhooks: `whsec_` and base64). */
export const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of the tests, 32 bytes!").toString("base64")}`;

/** An owner's backend that receives webhooks, and verifies them with the library of Standard Webhooks. */
export async function startReceiver(secret: string) {
  const events: ReceivedEvent[] = [];
  const statuses: number[] = [];
  const answers: object[] = [];

  const webhook = new Webhook(secret);
  const valid = (headers: IncomingHttpHeaders, body: string): boolean => {
    try {
      webhook.verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { type, data, ...rest } = JSON.parse(body);
    const id = String(request.headers["webhook-id"]);
    events.push({ id, type, data: data ?? rest, body, valid: valid(request.headers, body) });
    response.writeHead(statuses.shift() ?? 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers.shift() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    /** Statuses of the next answers; 200 after them. */
    answerWith: (...next: number[]) => void statuses.push(...next),
    /** Answers the next requests with these bodies, as JSON. */
    answerBodies: (...next: object[]) => void answers.push(...next),
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

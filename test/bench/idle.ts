/**
 * Check 33 of WIDGET 9 at full length: a visitor behind nginx who stays silent for longer than nginx's default
 * timeouts.
 */

import { startHarness } from "../harness.ts";
import { startNginx } from "../nginx.ts";
import { createVisitor } from "../visitor.ts";

/**
 * Stays silent and then waits for a reply.
 * @throws Error when the connection did not last
 */
export async function idle(seconds: number): Promise<void> {
  const harness = await startHarness();
  const nginx = await startNginx(harness.url);
  const visitor = createVisitor(nginx.url, { origin: harness.host });
  try {
    await visitor.connect();
    await visitor.send("Hello");
    await visitor.receives("echo: Hello");
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    await harness.sandbox.humanReply({ fromId: harness.sandbox.messages()[0]?.fromId ?? "", body: "still there?" });
    await visitor.receives("still there?");
  } finally {
    await visitor.drop();
    await nginx.stop();
    await harness.stop();
  }
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createHooks, signatureOf } from "./post.ts";

it("signs like the example of the Standard Webhooks specification", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const signature = signatureOf(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}');
  expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

it("follows no redirect, and distinguishes a missing answer from an error", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.writeHead(307, { Location: "/elsewhere" }).end("moved");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?x=1`;
  const hooks = createHooks();
  const hook = { url, secret: "whsec_AAAA", id: "msg_1", body: "{}" };
  expect(await hooks.post(hook, 0)).toEqual({ status: 307, text: "moved" });
  expect(asked).toBe(1);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await hooks.post(hook, 0)).toEqual({ status: 0, text: "ECONNREFUSED" });
  await hooks.close();
});

it("gives up on a receiver that accepts the request and does not answer, or never ends its answer", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/endless") response.write("x");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const hooks = createHooks();
  for (const path of ["silent", "endless"]) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
    const answer = await hooks.post({ url, secret: "whsec_AAAA", id: "msg_1", body: "{}", within: 100 }, 0);
    expect(answer).toEqual({ status: 0, text: "no answer" });
  }
  await hooks.close();
  server.close().closeAllConnections();
});

/**
 * WIDGET 9, check 33: behind a real nginx, which closes connections that are silent for a minute. `npm run soak`
 * takes the full time.
 */

import type { WebSocket } from "playwright-core";
import { expect, it } from "vitest";
import { type Clock, realClock } from "../../../relay/src/base/clock.ts";
import { startNginx } from "../../nginx.ts";
import { runAt } from "../../relays.ts";
import type { Front } from "../../setup/front.ts";
import { type Chat, converse, pageOf, setUpTestbed } from "./testbed.ts";

/** A tenth of the real time: the relay's clock runs ten times as fast, and nginx waits six seconds. */
const TIMES = 10;
const NGINX_S = 60;
const IDLE_S = 130;
const HEARTBEAT_S = 25;

let speed = 1;
let [mark, passed] = [performance.now(), 0];
function uptime(): number {
  const now = performance.now();
  passed += (now - mark) * speed;
  mark = now;
  return passed;
}
const clock: Clock = { ...realClock, uptime };
const testbed = setUpTestbed({ run: (env) => runAt(env, clock) });

async function behind(nginx: Front): Promise<{ chat: Chat; sockets: WebSocket[]; pongs: () => number }> {
  const sockets: WebSocket[] = [];
  let pongs = 0;
  const { chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default"', nginx.url)),
    before: async (page) =>
      page.on("websocket", (socket) => {
        sockets.push(socket);
        socket.on("framereceived", ({ payload }) => {
          if (String(payload).includes('"t":"pong"')) pongs++;
        });
      }),
  });
  await converse(chat);
  return { chat, sockets, pongs: () => pongs };
}

it("33 behind nginx the socket is still open after a silence of more than twice nginx's limit", async () => {
  const nginx = await startNginx(testbed.harness.url, NGINX_S / TIMES);
  try {
    const { chat, sockets, pongs } = await behind(nginx);
    uptime();
    speed = TIMES;
    const begin = performance.now();
    const heartbeats = pongs() + Math.ceil(IDLE_S / HEARTBEAT_S);
    await expect.poll(pongs).toBeGreaterThanOrEqual(heartbeats);
    expect(performance.now() - begin).toBeGreaterThan((2_000 * NGINX_S) / TIMES);
    await testbed.reply("still there?");
    await chat.thread.getByText("still there?", { exact: true }).waitFor();
    expect(sockets.map((socket) => socket.isClosed())).toEqual([false]);
  } finally {
    uptime();
    speed = 1;
    await nginx.stop();
  }
});

it("33 without heartbeats nginx closes the socket in that time", async () => {
  // Long enough for every answer of a busy machine: the limit also holds for the page's scripts.
  const nginx = await startNginx(testbed.harness.url, 3);
  try {
    const { chat, sockets } = await behind(nginx);
    await expect.poll(() => sockets[0]?.isClosed()).toBe(true);
    // The visitor notices no difference.
    await chat.send("after the cut");
    await chat.thread.getByText("echo: after the cut", { exact: true }).waitFor();
  } finally {
    await nginx.stop();
  }
});

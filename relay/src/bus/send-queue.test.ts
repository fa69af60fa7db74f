import { expect, it } from "vitest";
import { createSendQueue } from "./send-queue.ts";

it("sends the texts that came during a batch together in the next one, also after a failure", async () => {
  const batches: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const send = createSendQueue(async (texts) => {
    batches.push(texts);
    if (batches.length === 1) await first.promise;
  });
  for (const text of ["a", "b", "c"]) send(text);
  first.reject(new Error("the connection is lost"));
  await expect.poll(() => batches).toEqual([["a"], ["b", "c"]]);
});

it("keeps at most the given number of texts while a batch is not answered", async () => {
  const batches: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const send = createSendQueue(async (texts) => {
    batches.push(texts);
    await first.promise;
  }, 3);
  for (let n = 0; n < 10; n++) send(String(n));
  first.resolve();
  await expect.poll(() => batches).toEqual([["0"], ["1", "2", "3"]]);
});

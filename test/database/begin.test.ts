import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, inject, it } from "vitest";
import { openPostgres } from "../../relay/src/db/postgres.ts";

/**
 * A proxy to PostgreSQL that replaces the next `BEGIN` with an invalid word, so that the server refuses it like a cancelled one.
 */
async function openProxy(server: string) {
  const { port } = new URL(server);
  const faults = { refuseNextBegin: false };
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    client.on("data", (data: Buffer) => {
      const at = faults.refuseNextBegin ? data.indexOf("BEGIN") : -1;
      if (at >= 0) data.write("BOGUS", at);
      if (at >= 0) faults.refuseNextBegin = false;
      upstream.write(data);
    });
    upstream.pipe(client);
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const])
      one.on("error", () => {}).on("close", () => other.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(server);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { faults, url: url.href, stop: () => proxy.close() };
}

it("a transaction whose BEGIN fails writes nothing, although its statements were sent without waiting", async () => {
  const { faults, url, stop } = await openProxy(inject("postgres") ?? "");
  const db = await openPostgres(url);
  await db.run("CREATE TABLE begun (x BIGINT NOT NULL)");
  const insert = "INSERT INTO begun (x) VALUES ($1)";
  const bodies: Parameters<typeof db.transaction>[0][] = [
    (tx) => tx.runEach(insert, [[1]]),
    (tx) => tx.run(insert, 2),
    async (tx) => {
      await tx.all("SELECT x FROM begun");
      await tx.runEach(insert, [[3]]);
    },
    async () => undefined,
  ];
  for (const body of bodies) {
    faults.refuseNextBegin = true;
    await expect(db.transaction(body, ["begun"])).rejects.toMatchObject({ code: "42601" });
  }
  expect(await db.all("SELECT x FROM begun")).toEqual([]);
  await db.transaction((tx) => tx.runEach(insert, [[5]]), ["begun"]);
  expect(await db.all("SELECT x FROM begun")).toEqual([{ x: 5 }]);
  await db.run("DROP TABLE begun");
  await db.close();
  stop();
});

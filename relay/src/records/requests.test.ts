import { expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import { answersAbout, beginRequest, dropAnswers, endRequest, FIRST_ANSWER } from "./requests.ts";

it("deletes the stored answers that contain an erased person's address, whatever its case and script", async () => {
  const db = await openTestDatabase();
  try {
    await migrate(db);
    for (const [key, email] of Object.entries({
      upper: "ÄRGER@Shop.example",
      lower: "ärger@shop.example",
      other: "x@y.z",
    })) {
      const name = { token: "t", key };
      await beginRequest(db, { ...name, digest: key, path: "/contacts", now: 1 });
      await endRequest(db, name, { status: 200, body: JSON.stringify({ email }) });
    }
    const { found } = await answersAbout(db, { ids: ["visitor1"], names: ["Ärger@shop.example"] }, FIRST_ANSWER);
    await dropAnswers(db, found);
    expect(await db.all("SELECT key FROM requests")).toEqual([{ key: "other" }]);
  } finally {
    await db.close();
  }
});

import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("a process that does nothing but close its database stays until the checkpoint thread has ended", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "porchlight-")), "test.db");
  const program = `
    const { openSqlite } = await import(${JSON.stringify(join(import.meta.dirname, "sqlite.ts"))});
    const { existsSync } = await import("node:fs");
    const db = openSqlite(${JSON.stringify(file)});
    await db.run("CREATE TABLE t (x INTEGER)");
    await db.transaction(async (tx) => {
      for (let x = 0; x < 2_000; x++) await tx.run("INSERT INTO t VALUES ($1)", x);
    });
    await db.close();
    console.log("closed", existsSync(${JSON.stringify(`${file}.seal`)}));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  expect(stdout).toBe("closed true\n");
});

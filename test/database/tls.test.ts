import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openPostgresLink } from "../../relay/src/bus/links.ts";
import { openPostgres } from "../../relay/src/db/postgres.ts";
import { otherUser, startPostgres } from "../setup/postgres.ts";

/** A self-signed certificate for 127.0.0.1, and its key, which only PostgreSQL's user may read. */
function certificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=postgres", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...request, ...names], { stdio: "ignore" });
  const user = otherUser();
  if (user !== undefined) for (const path of [folder, key]) chownSync(path, user.uid, user.gid);
  return { cert, key };
}

it("connects to PostgreSQL over TLS as the address says, and to no server whose certificate it does not trust", async () => {
  const { cert, key } = certificate();
  const server = await startPostgres({ ssl: "on", ssl_cert_file: cert, ssl_key_file: key });
  onTestFinished(server.stop);
  const url = `${server.url("postgres")}?sslmode=verify-full`;
  await expect(openPostgres(url)).rejects.toThrow("self-signed certificate");
  const trusting = `${url}&sslrootcert=${cert}`;
  const db = await openPostgres(trusting);
  const states: string[] = [];
  const link = await openPostgresLink(trusting, { onState: (state) => void states.push(state) });
  const open = await db.all("SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename IS NOT NULL");
  expect([open, states]).toEqual([[{ ssl: true }, { ssl: true }], ["open"]]);
  await link.close();
  await db.close();
});

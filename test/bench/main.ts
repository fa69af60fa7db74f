/**
 * `npm run bench`: compares the relay with a bare chain that does the least possible and with a naive relay. Each runs
 * in its own process, with this process as the load, in alternating rounds. Absolute numbers depend on the machine;
 * compare ratios and CPU time.
 *
 *   npm run bench                      the essential rows, in about five minutes
 *   npm run bench -- --long            all rows, in long rounds
 *   npm run bench -- trip connects     only these rows (rows/index.ts)
 *   npm run bench -- --page            only what the widget costs a page
 *   npm run bench -- --profile         microseconds of the relay's CPU per round trip, by function
 *   npm run bench -- --counts          counts operations per round trip, and writes counts/counts.json
 *   npm run bench -- --idle 150        checks that a visitor who is silent for 150 s behind nginx still gets a reply
 *   npm run bench -- --wave            simulates many clients that reconnect at once
 *   npm run bench -- --hints           measures the check for lost hints, and one subscription for each node or each visitor
 *   npm run bench -- --publish         writes the last run into the README's tables
 */
import { parseArgs } from "node:util";
import { ensurePrograms } from "../setup/programs.ts";
import { useOwnTemporaryFolder } from "../setup/temporary-folder.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    counts: { type: "boolean", default: false },
    idle: { type: "string" },
    wave: { type: "boolean", default: false },
    hints: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
  },
});

useOwnTemporaryFolder();
if (!(values.counts || values.wave)) ensurePrograms();
if (values.counts) await (await import("./counts/renew.ts")).renewCounts();
else if (values.wave) console.log((await import("../conventions/capacity.ts")).waveTable());
else if (values.hints) {
  const { printLostHintChecks, printSubscriptions } = await import("./hints.ts");
  await printLostHintChecks();
  await printSubscriptions();
} else if (values.idle !== undefined) {
  await (await import("./idle.ts")).idle(Number(values.idle));
  console.log(`The reply was received after ${values.idle} s of silence`);
} else if (values.profile) await (await import("./print-profile.ts")).printProfile();
else {
  const { run } = await import("./run.ts");
  const measures = values.long || values.page || positionals.length > 0 || !values.publish;
  if (measures) await run({ long: values.long, pageAlone: values.page, names: positionals });
  if (values.publish) {
    (await import("./report.ts")).publish();
    (await import("../conventions/tables.ts")).renewTables();
  }
}
process.exit();

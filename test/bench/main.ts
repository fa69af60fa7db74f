/**
 * `npm run bench`: the relay beside the least that can do the same job and beside a naive one, each in a process of its own,
 * with this process as the load, in alternating rounds. Absolute numbers drift with the machine; ratios and CPU count.
 *
 *   npm run bench                  the essential rows, in about five minutes
 *   npm run bench -- --long        all rows, long rounds
 *   npm run bench -- trip connects these rows alone (rows/index.ts)
 *   npm run bench -- --page        what the widget costs a page, alone
 *   npm run bench -- --profile     µs of the relay's CPU per round trip, by function
 *   npm run bench -- --counts      what a round trip asks for, counted; renews counts/counts.json
 *   npm run bench -- --idle 150    whether a visitor who is silent for so many seconds behind nginx still hears a reply
 *   npm run bench -- --wave        a simulation of the wave of clients that come back
 *   npm run bench -- --publish     makes the last run the README's
 */
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    counts: { type: "boolean", default: false },
    idle: { type: "string" },
    wave: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
  },
});

if (values.counts) await (await import("./counts/renew.ts")).renewCounts();
else if (values.wave) (await import("./wave.ts")).printWaves();
else if (values.idle !== undefined) {
  await (await import("./idle.ts")).idle(Number(values.idle));
  console.log(`The reply was heard after ${values.idle} s of silence`);
} else if (values.profile) await (await import("./profiled.ts")).printProfile();
else {
  const { run } = await import("./run.ts");
  const measures = values.long || values.page || positionals.length > 0 || !values.publish;
  if (measures) await run({ long: values.long, pageAlone: values.page, names: positionals });
  if (values.publish) {
    (await import("./report.ts")).publish();
    (await import("../house/tables.ts")).renewTables();
  }
}
process.exit();

/** `npm run bench`: speed beside the least that can do the same job. `-- --counts`: what a round trip asks for, counted. */
if (process.argv.includes("--counts")) {
  const { renewCounts } = await import("./counts/renew.ts");
  await renewCounts();
  process.exit(0);
}
await import("./run.ts");

const WIDTH = 30;
const EVERY = 25;

/** A progress bar on stderr. It prints nothing when stderr is not a terminal. */
export function progress(what: string, total: number, out: NodeJS.WriteStream = process.stderr) {
  let done = 0;
  const draw = (): void => {
    if (!out.isTTY) return;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * WIDTH);
    out.write(`\r${what} [${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}] ${done}/${total}`);
  };
  return {
    tick(): void {
      if (++done % EVERY === 0) draw();
    },
    end(): void {
      draw();
      if (out.isTTY) out.write("\n");
    },
  };
}

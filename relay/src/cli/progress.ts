/** Width of the bar, in characters. */
const WIDTH = 30;
/** The bar is drawn again after this many ticks. */
const TICKS_PER_DRAW = 25;

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
      if (++done % TICKS_PER_DRAW === 0) draw();
    },
    end(): void {
      draw();
      if (out.isTTY) out.write("\n");
    },
  };
}

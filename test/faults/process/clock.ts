import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Env } from "./relay.ts";

/**
 * A clock that a test sets while the relay runs, like a person or a time server that sets a machine's clock. It is loaded
 * before the relay and changes `Date`. It can also speed up all time, including timers.
 */
type Setting = {
  /** Milliseconds by which the wall clock is wrong. */
  shift: number;
  /** Speed of time since `epoch` (milliseconds since 1970), as a factor. */
  speed: number;
  epoch: number;
};

const FILE = "PORCHLIGHT_TEST_CLOCK";
const SIGNAL = "SIGUSR2";

const realNow = Date.now;

export type TestClock = {
  /** For the relay's environment. */
  env: Env;
  /** The current time of that clock. */
  now: () => number;
  /** Sets it, also in a running relay. */
  set: (shift: number, pid?: number) => void;
  remove: () => void;
};

/** @param speed of the relay's time, as a factor */
export function testClock(speed = 1): TestClock {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-clock-"));
  const file = join(folder, "clock.json");
  const setting: Setting = { shift: 0, speed, epoch: realNow() };
  /** Written as a whole, because the relay may read it at any moment. */
  const write = (): void => {
    writeFileSync(`${file}.new`, JSON.stringify(setting));
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: { [FILE]: file, NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename).href}` },
    now: () => moved(setting),
    set(shift, pid) {
      setting.shift = shift;
      write();
      if (pid !== undefined) process.kill(pid, SIGNAL);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const moved = ({ shift, speed, epoch }: Setting): number => Math.round(epoch + (realNow() - epoch) * speed + shift);

const given = process.env[FILE];
if (given !== undefined) {
  const read = (): Setting => JSON.parse(readFileSync(given, "utf8")) as Setting;
  let setting = read();
  process.on(SIGNAL, () => {
    setting = read();
  });
  Date.now = () => moved(setting);
  const { speed } = setting;
  const { setTimeout: realTimeout } = globalThis;
  const realUptime = performance.now.bind(performance);
  performance.now = () => realUptime() * speed;
  const faster = (fn: () => void, ms = 0, ...args: []): NodeJS.Timeout => realTimeout(fn, ms / speed, ...args);
  globalThis.setTimeout = Object.assign(faster, realTimeout) as typeof setTimeout;
}

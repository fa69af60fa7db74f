import { readFileSync } from "node:fs";
import { tracerPath } from "../../setup/programs.ts";

/** One system call: on which file or socket, with which bytes. */
export type Call = { name: string; on: string; data: string };

/**
 * Runs a program under `strace`, which writes all flushes to disk and all writes to sockets to `file`. With `-D` the program
 * remains our child process, so that signals reach it.
 */
export const tracing = (file: string): string[] => {
  const watched = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";
  return [tracerPath(), "-D", "-f", "-y", "-s", "400", "-o", file, "-e", watched];
};

/** Whether the tracer has written its last line. */
export const traced = (file: string): boolean =>
  /\+\+\+ (exited with|killed by) .*\n$/.test(readFileSync(file, "utf8"));

/** The calls of a trace, in the order in which they ended. The trace shows an interrupted call in two halves. */
export function parseCalls(trace: string): Call[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, pid = "", text = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (text.endsWith("<unfinished ...>")) {
      begun.set(pid, text);
      return [];
    }
    const [, name = "", on = "", data = ""] = /^(\w+)\(\d+<(.*?)>(.*)$/.exec(begun.get(pid) ?? text) ?? [];
    begun.delete(pid);
    return name === "" ? [] : [{ name, on, data }];
  });
}

/** The calls in the file of a trace. */
export const callsIn = (file: string): Call[] => parseCalls(readFileSync(file, "utf8"));

/** Whether a call flushes a file whose name contains `file` to disk. */
export const isFlush = ({ name, on }: Call, file: string): boolean => /^f(data)?sync$/.test(name) && on.includes(file);
/** Whether a call writes bytes with `words` to a socket. The tracer quotes the bytes. */
export const writesToSocket = ({ on, data }: Call, words: string): boolean =>
  !on.startsWith("/") && data.includes(words.replaceAll('"', '\\"'));

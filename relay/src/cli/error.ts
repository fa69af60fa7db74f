/** 0: done. 1: failed. 2: wrong command or setting. 3: done, but a person must act. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An error that the command line prints as one sentence, without a stack, before it exits with `code`. */
export class CommandError extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 1) {
    super(message);
    this.code = code;
  }
}

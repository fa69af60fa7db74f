/** Named events. An error in a listener does not reach the emitter. */

export type Events<Details> = {
  /** @returns a function that removes the listener */
  on<Name extends keyof Details>(event: Name, listener: (detail: Details[Name]) => void): () => void;
  emit<Name extends keyof Details>(event: Name, detail: Details[Name]): void;
  /** Removes every listener. */
  clear(): void;
};

/** Creates named events without listeners. @template Details the detail of each event, by its name */
export function createEvents<Details>(): Events<Details> {
  let all: { event: keyof Details; listener: (detail: never) => void }[] = [];
  return {
    on(event, listener) {
      const entry = { event, listener };
      all = [...all, entry];
      return () => {
        all = all.filter((other) => other !== entry);
      };
    },
    emit(event, detail) {
      for (const entry of all)
        try {
          if (entry.event === event) entry.listener(detail as never);
        } catch (error) {
          console.error(error);
        }
    },
    clear() {
      all = [];
    },
  };
}

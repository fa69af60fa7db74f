/** Named events whose listeners cannot harm whoever emits. */

export type Events<Details> = {
  /** Returns the off function. */
  on<Name extends keyof Details>(event: Name, listener: (detail: Details[Name]) => void): () => void;
  emit<Name extends keyof Details>(event: Name, detail: Details[Name]): void;
  /** Forgets every listener. */
  silence(): void;
};

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
    silence() {
      all = [];
    },
  };
}

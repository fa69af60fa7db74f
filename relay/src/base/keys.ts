import { readFileSync } from "node:fs";
import type { Account } from "./config.ts";
import { createRecent } from "./recent.ts";

/** The accounts' keys of the moment. */
export type Keys = {
  /** The key, or an empty string while there is none. */
  of: (account: string) => string;
  /** Reads the key files again; tells whether any key changed. */
  reload: () => boolean;
  /** Every key known now or before: what must never be shown. The same array until one comes. */
  all: () => readonly string[];
};

/** Keys that are kept out of the log: those of the moment, and former ones. */
const KEYS_MAX = 1_000;

/** Keeps the keys in memory and takes new ones from their files without a restart. */
export function createKeys(accounts: readonly Account[]): Keys {
  const keys = new Map<string, string>();
  const known = createRecent(KEYS_MAX);
  const read = ({ id, key }: Account): string => {
    if (key === undefined) return "";
    if ("value" in key) return key.value;
    try {
      return readFileSync(key.file, "utf8").trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(`SERVICE_API_KEY_FILE: the key of account ${id} cannot be read from ${key.file} (${code})`);
    }
  };
  const reload = (): boolean => {
    let changed = false;
    for (const account of accounts) {
      const key = read(account);
      changed = changed || keys.get(account.id) !== key;
      keys.set(account.id, key);
      if (key !== "") known.add(key);
    }
    return changed;
  };
  reload();
  return { of: (account) => keys.get(account) ?? "", reload, all: known.all };
}

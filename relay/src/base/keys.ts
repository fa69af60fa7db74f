import { readFileSync } from "node:fs";
import type { Account } from "./config.ts";
import { createRecent } from "./recent.ts";

/** The current keys of the accounts. */
export type Keys = {
  /** The key of an account; empty when it has none. */
  of: (account: string) => string;
  /**
   * Reads the key files again. @returns whether a key changed
   * @throws Error when a key file cannot be read or is empty; that key stays as it is, and the others may have changed
   */
  reload: () => boolean;
  /** All current and former keys, for masking. The same array until a key is added. */
  all: () => readonly string[];
};

/** The number of keys, current and former, that the log masks. */
const KEYS_MAX = 1_000;

/** The content of an account's key file, without white space around it. */
function textOf(account: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`SERVICE_API_KEY_FILE: the key of account ${account} cannot be read from ${file} (${code})`);
  }
}

/**
 * Keeps the keys in memory and reads new ones from their files without a restart.
 * @throws Error when a key file cannot be read or is empty
 */
export function createKeys(accounts: readonly Account[]): Keys {
  const keys = new Map<string, string>();
  const known = createRecent(KEYS_MAX);
  const read = ({ id, key }: Account): string => {
    if (key === undefined) return "";
    if ("value" in key) return key.value;
    const text = textOf(id, key.file);
    // Programs that write a file empty it first, and the file may be read between the two steps.
    if (text === "") throw new Error(`SERVICE_API_KEY_FILE: the key of account ${id} is missing, ${key.file} is empty`);
    return text;
  };
  const reload = (): boolean => {
    let changed = false;
    const failures: unknown[] = [];
    for (const account of accounts) {
      try {
        const key = read(account);
        changed = changed || keys.get(account.id) !== key;
        keys.set(account.id, key);
        if (key !== "") known.add(key);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return changed;
  };
  reload();
  return { of: (account) => keys.get(account) ?? "", reload, all: known.all };
}

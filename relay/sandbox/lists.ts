/** Contact lists (interface 4.3): tests and the configuration seed them; the interface cannot create one. */

export type Lists = {
  seed(listIds: readonly string[]): void;
  has(listId: string): boolean;
  /** Adds a contact to an existing list. @returns false when it was on the list already */
  add(listId: string, contactId: string): boolean;
  /** List id → contact ids in the order they were added. */
  all(): Record<string, string[]>;
  clear(): void;
};

/** @returns no lists: only `seed` adds some */
export function createLists(): Lists {
  const members = new Map<string, Set<string>>();
  return {
    seed(listIds) {
      for (const listId of listIds) if (!members.has(listId)) members.set(listId, new Set());
    },
    has: (listId) => members.has(listId),
    add(listId, contactId) {
      const list = members.get(listId);
      if (list === undefined || list.has(contactId)) return false;
      list.add(contactId);
      return true;
    },
    all: () => Object.fromEntries([...members].map(([listId, contacts]) => [listId, [...contacts]])),
    clear: () => members.clear(),
  };
}

/** The addresses of pages to which other pages lead. */

export const conversationPath = (visitor: string): string => `/admin/conversations/${encodeURIComponent(visitor)}`;

export const messagePath = (visitor: string, id: string): string =>
  `/admin/messages/${encodeURIComponent(visitor)}/${encodeURIComponent(id)}`;

/** The page of a ledger entry. */
export const entryPath = ({ kind, account, key }: { kind: string; account: string; key: string }): string =>
  `/admin/ledger/${kind}/${encodeURIComponent(account)}/${encodeURIComponent(key)}`;

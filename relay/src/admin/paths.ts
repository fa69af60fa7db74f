/** The addresses of pages to which other pages lead. */

/** The page of a visitor's conversation. */
export const conversationPath = (visitor: string): string => `/admin/conversations/${encodeURIComponent(visitor)}`;

/** The page of one message with its journey. `id`: the message's id, unique within the conversation only. */
export const messagePath = (visitor: string, id: string): string =>
  `/admin/messages/${encodeURIComponent(visitor)}/${encodeURIComponent(id)}`;

/** The page of a ledger entry. */
export const entryPath = ({ kind, account, key }: { kind: string; account: string; key: string }): string =>
  `/admin/ledger/${kind}/${encodeURIComponent(account)}/${encodeURIComponent(key)}`;

/** The page of an event for a webhook, with its tries. */
export const eventPath = (id: string): string => `/admin/webhooks?${new URLSearchParams({ id }).toString()}`;

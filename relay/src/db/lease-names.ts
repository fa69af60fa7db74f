const ACCOUNT = "account:";
/** The lease of the node that calls the service for an account. */
export const accountLease = (account: string): string => `${ACCOUNT}${account}`;
/** The account of a lease; undefined for other leases. */
export const accountOf = (lease: string): string | undefined =>
  lease.startsWith(ACCOUNT) ? lease.slice(ACCOUNT.length) : undefined;
/** The lease of the node that sends mails to visitors. */
export const MAIL_LEASE = "mail";
/** The lease of the node that does the daily work: retention, backups, alerts. */
export const CHORES_LEASE = "chores";

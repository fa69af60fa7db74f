/**
 * Settings without limits per address and per day, because all visitors of a test have one address. Other tests check the
 * limits.
 */
export const UNLIMITED = {
  MESSAGES_PER_ADDRESS: "0",
  VISITORS_PER_ADDRESS: "0",
  LEADS_PER_ADDRESS: "0",
  SESSIONS_PER_ADDRESS: "0",
  UPLOAD_ADDRESS_MB: "0",
  MESSAGES_PER_DAY: "0",
  LEADS_PER_DAY: "0",
} as const;

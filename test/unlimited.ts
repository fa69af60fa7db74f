/** All visitors of a test come from one address: what one address, and a day, may do is a matter of the tests about that. */
export const UNLIMITED = {
  MESSAGES_PER_ADDRESS: "0",
  VISITORS_PER_ADDRESS: "0",
  LEADS_PER_ADDRESS: "0",
  SESSIONS_PER_ADDRESS: "0",
  UPLOAD_ADDRESS_MB: "0",
  MESSAGES_PER_DAY: "0",
  LEADS_PER_DAY: "0",
} as const;

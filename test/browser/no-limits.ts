/** Settings of a relay that never makes the visitors of a test wait. */
export const NO_LIMITS = { MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0", UPLOADS_PER_MINUTE: "0" };

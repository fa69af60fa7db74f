/** Text that replaces a file that cannot be shown. */
export const MISSING_FILE_TEXT = "[attachment – not available here]";

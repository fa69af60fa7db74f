/** Text that replaces a file that cannot be shown. */
export const NOT_HERE = "[attachment – not available here]";

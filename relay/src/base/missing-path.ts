/** Whether the system's error says that a file or folder does not exist. */
export const isMissingPath = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

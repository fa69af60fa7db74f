/** Folders and files of the repository that production needs, besides the installed packages. */
export const CONTENTS: readonly string[] = [
  ...["relay/src", "relay/sandbox", "relay/deploy", "shared", "widget/patches", "widget/dist"],
  ...["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc", "relay/package.json", "widget/package.json"],
  ...["LICENSE", "README.md", "SECURITY.md"],
];

/** Whether production needs a file: not tests, and not packages. @param path from the root of the repository */
export const isShipped = (path: string): boolean => !/(^|\/)node_modules(\/|$)|\.(test|fixture)\.\w+$/.test(path);

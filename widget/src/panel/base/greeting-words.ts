/** The words of the greeting, for the thread, the start screen and screen readers. */

import type { Needs } from "./context.ts";

/**
 * The site's greeting, or the language's. `{name}` becomes the first name of a visitor whose identity the relay has verified;
 * without such a name it is removed, with the spaces before it: "Hello {name}!" becomes "Hello!".
 */
export function greetingWords({ t, settings, chat }: Needs<"t" | "settings" | "chat">): string {
  const name = chat.name.value;
  // A function, so that `$` in a name is not read as a pattern.
  return (settings.value.greeting || t("greeting")).replace(/ *\{name\}/, () => (name ? ` ${name}` : ""));
}

/** Components whose code is fetched when they are first drawn. */

import { signal } from "@preact/signals-core";
import type { ComponentChildren, ComponentType } from "preact";
import { component } from "./component.ts";
import type { Needs } from "./context.ts";

/**
 * Makes a component whose code is fetched when it is first drawn, because most messages do not need it.
 * @param fetch the component
 * @param placeholder rendered until the code has loaded
 */
export const lazyPart = <Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  placeholder: (ui: Needs<"t">, props: Props) => ComponentChildren,
) => {
  /** After the first fetch, the component is rendered without a delay. */
  let fetched: ComponentType<Props> | undefined;
  return component<Props>((ui: Needs<"t" | "part">, mounted) => {
    const code = signal(fetched);
    mounted(() => {
      if (!fetched)
        void ui.part(fetch, (part) => {
          code.value = fetched = part;
        });
    });
    return (props) => {
      const Part = code.value;
      return Part ? <Part {...props} /> : placeholder(ui, props);
    };
  });
};

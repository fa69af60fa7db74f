/**
 * Components that render again when a signal that they read changes, or when their props change. A component is a set-up
 * function that runs once for each instance and returns the render function. These few lines replace hooks and a signals
 * binding, which would add twelve times as many bytes.
 */

import { effect } from "@preact/signals-core";
import { Component, type ComponentChildren, Fragment, h } from "preact";
import type { PanelContext } from "./context.ts";

/**
 * Runs its argument when the component is added to the page, and the function that it returns when the component is removed.
 */
export type Mounted = (run: () => (() => void) | undefined | void) => void;
type Draw<Props> = (props: Props) => ComponentChildren;
type AnyProps = Readonly<Record<string, unknown>>;

/** With the type `never` each component must state what it needs: `({ t, chat }: Needs<"t" | "chat">)`. */
type SetUp<Props> = (ui: never, mounted: Mounted, first: Props) => Draw<Props>;

/** Creates a component. @param setUp gets the first props; later props reach only the render function that it returns */
export function component<Props extends object = object>(setUp: SetUp<Props>) {
  return class extends Component<Props> {
    runs: (() => (() => void) | undefined | void)[] = [];
    stops: ((() => void) | undefined | void)[] = [];
    stop = (): void => {};
    draw: Draw<Props> | undefined;

    override shouldComponentUpdate(next: AnyProps, state: unknown): boolean {
      const now: AnyProps = { ...this.props };
      for (const name in next) if (next[name] !== now[name]) return true;
      return state !== this.state;
    }

    override componentDidMount(): void {
      this.stops = this.runs.map((run) => run());
    }

    override render(props: Props): ComponentChildren {
      const draw = this.draw ?? setUp((this.context as { ui: never }).ui, (run) => this.runs.push(run), props);
      this.draw = draw;
      let drawn: ComponentChildren;
      let changed = false;
      this.stop();
      this.stop = effect(() => {
        // The first run renders and subscribes to the signals that it reads. Later runs only mark the component as outdated.
        if (changed) this.setState({});
        else drawn = draw(props);
        changed = true;
      });
      return drawn;
    }

    override componentWillUnmount(): void {
      this.stop();
      for (const stop of this.stops) stop?.();
    }
  };
}

/** Passes the panel's context to all components below it, and renders them again if rendering fails. */
export class Root extends Component<{ ui: PanelContext; children: ComponentChildren }> {
  failures = 0;

  override componentDidCatch(error: unknown): void {
    console.warn(error);
    // The first failure may come from a page that changed our nodes. Repeated ones would be our own error: stop, to avoid a
    // loop.
    if (++this.failures < 9) this.setState({});
  }

  override getChildContext(): object {
    return { ui: this.props.ui };
  }

  override render(): ComponentChildren {
    return h(Fragment, { key: this.failures }, this.props.children);
  }
}

/** For `mounted`: runs again when a signal that it reads changes. May return a clean-up function. */
export const watch = (run: () => unknown) => (): (() => void) => effect(run as () => void);

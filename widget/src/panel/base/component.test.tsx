// @vitest-environment happy-dom
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { component, watch } from "./component.ts";
import { createFixture, drawn, type Fixture } from "./ui.fixture.ts";

let on: Fixture;
beforeEach(async () => {
  on = await createFixture();
});
afterEach(() => on.stop());

describe("a component", () => {
  it("is set up once, and rendered again when a signal changes that it has read", async () => {
    const [read, unread] = [signal("a"), signal(0)];
    const counts = { setUps: 0, draws: 0 };
    const View = component(() => {
      counts.setUps++;
      return () => {
        counts.draws++;
        return <p>{`${read.value}${unread.peek()}`}</p>;
      };
    });
    const view = on.show(View);
    read.value = "b";
    await drawn();
    unread.value = 1;
    await drawn();
    expect(view.textContent).toBe("b0");
    expect(counts).toEqual({ setUps: 1, draws: 2 });
  });

  it("is rendered again when its props change, and only then", async () => {
    const shown = signal({ text: "a", other: 0 });
    let draws = 0;
    const Child = component<{ text: string }>(() => ({ text }) => {
      draws++;
      return <b>{text}</b>;
    });
    const Parent = component(() => () => <Child text={shown.value.text} />);
    const view = on.show(Parent);
    shown.value = { text: "a", other: 1 };
    await drawn();
    shown.value = { text: "b", other: 1 };
    await drawn();
    expect(view.textContent).toBe("b");
    expect(draws).toBe(2);
  });

  it("subscribes to signals that it reads conditionally, and unsubscribes again", async () => {
    const [which, a, b] = [signal(true), signal("a"), signal("b")];
    let draws = 0;
    const View = component(() => () => {
      draws++;
      return <p>{which.value ? a.value : b.value}</p>;
    });
    on.show(View);
    which.value = false;
    await drawn();
    a.value = "unseen";
    await drawn();
    expect(draws).toBe(2);
  });

  it("watches signals while it is on the page, and cleans up when it is removed", async () => {
    const logged: string[] = [];
    const value = signal(1);
    const View = component((_ui, mounted) => {
      mounted(
        watch(() => {
          const now = value.value;
          logged.push(`see ${now}`);
          return () => logged.push(`leave ${now}`);
        }),
      );
      return () => <p />;
    });
    on.show(View);
    await drawn();
    value.value = 2;
    on.stop();
    value.value = 3;
    expect(logged).toEqual(["see 1", "leave 1", "see 2", "leave 2"]);
  });
});

describe("the panel's root", () => {
  it("renders again from the same state when rendering fails", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const broken = signal(false);
    const View = component(() => () => {
      if (!broken.value) return <p>{on.chat.draft.value}</p>;
      broken.value = false;
      throw new Error("nodes were replaced");
    });
    on.chat.draft.value = "kept";
    const view = on.show(View);
    broken.value = true;
    await drawn();
    await drawn();
    expect(view.textContent).toBe("kept");
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});

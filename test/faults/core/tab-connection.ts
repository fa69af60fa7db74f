import type { ConnectionEvents, TabConnection } from "../tab.ts";
import type { SimulatedRelay } from "./simulated-relay.ts";
import type { World } from "./world.ts";

/** A connection: frames arrive later, in order, unless it is cut first. */
function wire(world: World, deliver: (text: string) => void) {
  let lastArrival = world.now();
  let open = true;
  return {
    put(text: string) {
      lastArrival = Math.max(lastArrival, world.now() + world.pick(1, 30));
      world.after(lastArrival - world.now(), () => open && deliver(text));
    },
    cut: () => {
      open = false;
    },
  };
}

/** A socket of the simulated world between a tab and a relay. */
export function openTabConnection(world: World, relay: SimulatedRelay, events: ConnectionEvents): TabConnection {
  const down = wire(world, (text) => {
    if (text.startsWith("close ")) events.end(Number(text.slice(6)));
    else events.frame(text);
  });
  const end = relay.accept({
    send: down.put,
    // The close arrives after the frames that were sent before it.
    close: ({ code }) => down.put(`close ${code}`),
    buffered: () => 0,
  });
  const up = wire(world, end.receive);
  return {
    put: up.put,
    cut() {
      up.cut();
      down.cut();
      // A relay detects a broken connection late.
      world.after(world.pick(0, 2_000), end.lost);
    },
  };
}

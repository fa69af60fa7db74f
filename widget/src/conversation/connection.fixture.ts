/** A connection in virtual time to a scripted relay. Records the received frames and the codes of lost connections. */
import { PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { type Connection, createConnection } from "./connection.ts";
import { createScript, type Script, type Wire } from "./script.fixture.ts";
import { createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

/** A heartbeat of a relay whose log is empty. */
export const PONG: RelayFrame = { t: "pong", head: 0 };

export type ConnectionFixture = {
  world: World;
  tab: Tab;
  script: Script;
  connection: Connection;
  received: RelayFrame[];
  /** Close codes of lost connections. */
  losses: number[];
  /** Starts the connection, and lets the relay answer its `hello`. */
  online(): Wire;
};

/**
 * A connection of one tab that is not started yet.
 * @param refused whether to connect again after the relay refused the token
 * @param stays whether a hidden page keeps its connection
 */
export function dial(refused: () => boolean, stays = () => false): ConnectionFixture {
  const world = createWorld();
  const tab = createBrowser(world).tab();
  const script = createScript();
  const received: RelayFrame[] = [];
  const losses: number[] = [];
  const connection = createConnection({
    page: tab.page,
    open: script.connect,
    hello: () => ({ t: "hello", v: PROTOCOL, site: "default" }),
    onFrame: (frame) => received.push(frame),
    lost: (code) => losses.push(code),
    refused,
    stays,
  });
  const online = () => {
    connection.start();
    return script.greet();
  };
  return { world, tab, script, connection, received, losses, online };
}

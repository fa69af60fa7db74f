/** A connection in virtual time, with a script for its other end, that writes down what it hears and why it was lost. */
import { PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { type Connection, createConnection } from "./connection.ts";
import { createScript, type Script, type Wire } from "./script.fixture.ts";
import { createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

export const PONG: RelayFrame = { t: "pong", head: 0 };

export type Dialled = {
  world: World;
  tab: Tab;
  script: Script;
  connection: Connection;
  heard: RelayFrame[];
  /** The codes it was closed with. */
  losses: number[];
  /** Starts it and lets the relay greet it. */
  online(): Wire;
};

/**
 * @param refused whether the relay's door says no to a line that did not come up
 * @param stays whether it is kept while the page is hidden
 */
export function dial(refused: () => boolean, stays = () => false): Dialled {
  const world = createWorld();
  const tab = createBrowser(world).tab();
  const script = createScript();
  const heard: RelayFrame[] = [];
  const losses: number[] = [];
  const connection = createConnection({
    page: tab.page,
    open: script.connect,
    hello: () => ({ t: "hello", v: PROTOCOL, site: "default" }),
    heard: (frame) => heard.push(frame),
    lost: (code) => losses.push(code),
    refused,
    stays,
  });
  const online = () => {
    connection.start();
    return script.greet();
  };
  return { world, tab, script, connection, heard, losses, online };
}

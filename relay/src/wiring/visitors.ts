import { createIdentities } from "../base/identity.ts";
import { createLimiter } from "../base/limiter.ts";
import { hashed } from "../base/log.ts";
import { createBudgets } from "../flows/budgets.ts";
import { type Courier, createCourier } from "../flows/courier/courier.ts";
import { createDeliver } from "../flows/deliver.ts";
import { createDeliveryStatus, createFailureNotice } from "../flows/delivery-status.ts";
import { createFirstNames } from "../flows/first-names.ts";
import { createForget } from "../flows/forget.ts";
import { createOriginLog } from "../flows/origin-log.ts";
import { createRating } from "../flows/rating.ts";
import { createSend, type Send } from "../flows/send/send.ts";
import { sendWithProfile } from "../flows/send-profile.ts";
import { createSession } from "../flows/session/session.ts";
import { createSessionEndings } from "../flows/session-endings.ts";
import { type Connections, createConnections } from "../socket/connections.ts";
import { createFrames } from "../socket/frames.ts";
import type { Core } from "./core.ts";
import type { FileStorage } from "./files.ts";
import type { OwnerFlows } from "./owner.ts";
import type { ServiceAccess } from "./service.ts";

/** Most messages that a visitor may send at once, above the rate per minute. */
const MESSAGE_BURST = 10;
/**
 * Limit for history pages, read marks and heartbeats of one visitor, in all tabs together. Scrolling quickly requests about
 * five pages a second.
 */
const FREE_FRAMES_PER_MINUTE = 600;
const FREE_FRAMES_BURST = 100;

/** The flows of the visitors: courier, sessions, messages, deletion; and the connections that use them. */
export function createVisitorFlows(core: Core, files: FileStorage, service: ServiceAccess, owner: OwnerFlows) {
  const { settings, db, bus, clock, log, sites, cluster } = core;
  const { access, storeEvent } = owner;
  const courier = createVisitorCourier(core, service, owner);
  const sessions = createSessions(core, owner, courier.wake);
  const delivery = createDeliveryStatus({
    clock,
    log,
    gates: { delivery: service.deliveryOf },
    isHeld: (site) => send.isHeld(site),
    announce: (account) => connections.sendDelivery(account),
  });
  const { horizon } = settings;
  const { onHeld, onReleased } = delivery;
  const send = createSend({ db, bus, clock, horizon, wake: courier.wake, storeEvent, onHeld, onReleased });
  followBudgets(core, send, courier);
  const forget = createForget({
    db,
    bus,
    clock,
    deleted(visitor) {
      courier.drop(visitor);
      files.uploads.drop(visitor);
      files.uploads.sweepSoon();
    },
    interrupted: (visitor, error) => log("deletion.interrupted", { visitor: hashed(visitor), cause: String(error) }),
  });
  core.cluster.onGone(files.uploads.drop);
  const endings = createSessionEndings({ db, bus, clock });
  const budgets = createBudgets({
    limits: settings.perAddress,
    isSite: (id) => sites.find(id) !== undefined,
    uploads: settings.uploads,
    uptime: clock.uptime,
    share: cluster.share,
  });
  const originLog = createOriginLog(sites, log);
  const connections: Connections = createConnections({
    db,
    bus,
    clock,
    log,
    open: originLog.logging(sessions.open),
    handleFrame: frameHandler(core, owner, { sessions, send, forget, budgets }),
    link: files.links.to,
    delivery: delivery.statusOf,
    isBlocked: access.isBlocked,
    exceedsBudget: (hello, address) => budgets.session({ site: hello.site, address }, hello.token !== undefined) > 0,
  });
  access.onChange(connections.closeBlocked);
  return { courier, sessions, send, forget, endings, budgets, connections, allows: originLog.allows };
}

/** The courier of the visitors' messages. */
function createVisitorCourier(core: Core, { gates, services }: ServiceAccess, owner: OwnerFlows) {
  const { db, bus, clock, log, sites, cluster } = core;
  const { access, storeEvent } = owner;
  const sendOne = (head: Parameters<typeof sendWithProfile>[1]) => sendWithProfile({ db, log }, head, services.send);
  const courier = createCourier({
    db,
    bus,
    clock,
    log,
    gates,
    leases: cluster.leases,
    ...(cluster.shared && { nodes: cluster }),
    deliver: createDeliver({ clock, sites, access, send: sendOne }),
    onFailed: createFailureNotice(storeEvent),
  });
  cluster.onGone(courier.drop);
  return courier;
}

/** Applies changed budgets to the messages that wait for another day. */
function followBudgets({ sites, log }: Core, send: Send, courier: Courier): void {
  sites.onReplaced(() => {
    const released = send.release(sites.all).then(courier.reread);
    released.catch((error: unknown) => log("database.failing", { cause: String(error) }));
  });
}

/** The visitors' sessions. The keys of signed identities are read again when the sites' settings change. */
function createSessions(core: Core, owner: OwnerFlows, wake: Parameters<typeof createSession>[0]["wake"]) {
  const { settings, db, bus, clock, log, sites, signing, epoch } = core;
  let identities = createIdentities(settings.sites, clock, log);
  sites.onReplaced(() => {
    identities = createIdentities(settings.sites, clock, log);
  });
  return createSession({
    db,
    bus,
    sites,
    signing,
    epoch,
    clock,
    log,
    identity: (site) => identities.get(site),
    nameOf: createFirstNames({ find: owner.contacts.find, clock }),
    wake,
  });
}

type Flows = {
  sessions: ReturnType<typeof createSession>;
  send: ReturnType<typeof createSend>;
  forget: ReturnType<typeof createForget>;
  budgets: ReturnType<typeof createBudgets>;
};

/** Handles the frames of visitors. */
function frameHandler({ settings, db, bus, clock, log, cluster }: Core, owner: OwnerFlows, flows: Flows) {
  const { sessions, send, forget, budgets } = flows;
  const perMinute = settings.messagesPerMinute;
  return createFrames({
    db,
    bus,
    clock,
    log,
    send,
    forget,
    budgets,
    logout: sessions.logout,
    capture: owner.capture,
    mail: owner.mail,
    rate: createRating({ db, bus, clock, storeEvent: owner.storeEvent }),
    passesGuard: owner.access.passesGuard,
    messages: cluster.share("messages", createLimiter({ burst: MESSAGE_BURST, perMinute, uptime: clock.uptime })),
    freeFrames: createLimiter({ burst: FREE_FRAMES_BURST, perMinute: FREE_FRAMES_PER_MINUTE, uptime: clock.uptime }),
  });
}

export type VisitorFlows = ReturnType<typeof createVisitorFlows>;

import type { Attack } from "./attack.ts";
import { forgedCallbacks, forgedRequests, leakedSecret, replayedCallbacks, unknownCallbacks } from "./callbacks.ts";
import { openedUploads, picturesDrawn, scripts, strictPage } from "./chromium.ts";
import {
  drips,
  halfMessages,
  hugeFloods,
  hugePosts,
  manyLines,
  manyMessages,
  neverReads,
  rawConnections,
} from "./floods.ts";
import { forms } from "./forms.ts";
import { fuzzedParsers } from "./fuzz.ts";
import { exposedPages, leakedKey, oddHeaders } from "./http.ts";
import {
  changedIds,
  foreignIds,
  foreignOrigins,
  forgedTokens,
  guessedIds,
  otherSites,
  stolenTokens,
} from "./identity.ts";
import { forgedLines, hostileLinks, lyingLabels, slowPatterns, trackingPictures } from "./text.ts";
import { bombs, hostileNames, hostileUploads } from "./uploads.ts";
import { compressionOffers, deepJson, hugeFrames, oddDocuments, oddStrings, prototypeKeys } from "./wire.ts";

/** Combines two attacks into one. */
const both =
  (one: NonNullable<Attack["inside"]>, two: NonNullable<Attack["inside"]>): NonNullable<Attack["inside"]> =>
  async (ground) => {
    const [a, b] = [await one(ground), await two(ground)];
    return { tried: a.tried + b.tried, through: a.through + b.through, control: `${a.control}; ${b.control}` };
  };

/** Every attack of the list, in the order of its numbers. */
export const ATTACKS: readonly Attack[] = [
  {
    number: 1,
    what: "frames that contain another visitor's id, in every field and spelling",
    defence: ["shared/parse.ts", "relay/src/flows/session/session.ts"],
    tests: ["shared/parse.test.ts"],
    inside: foreignIds,
  },
  {
    number: 2,
    what: "ids guessed at random, near a real one, and of another relay",
    defence: ["relay/src/base/sign.ts"],
    tests: ["relay/src/base/sign.test.ts"],
    inside: guessedIds,
  },
  {
    number: 3,
    what: "reply callbacks with a wrong secret",
    defence: ["relay/src/http/callbacks.ts", "relay/src/http/guesses.ts"],
    tests: ["relay/src/http/guesses.test.ts", "relay/src/http/callbacks.test.ts", "test/callbacks.test.ts"],
    inside: forgedCallbacks,
  },
  {
    number: 4,
    what: "a captured reply callback, repeated one after another and ten in parallel",
    defence: ["relay/src/flows/intake/replies.ts", "relay/src/records/ledger/own-messages.ts"],
    tests: ["relay/src/flows/intake/replies.test.ts"],
    inside: replayedCallbacks,
  },
  {
    number: 5,
    what: "search every log line of the run for the callback secret. The logs of a proxy in front of the relay are not checked",
    defence: ["relay/src/base/log.ts", "relay/src/http/callbacks.ts"],
    tests: ["relay/src/base/log.test.ts", "test/secrets.test.ts"],
    inside: leakedSecret,
  },
  {
    number: 6,
    what: "reply callbacks for a real visitor id with one changed character",
    defence: ["relay/src/base/sign.ts", "relay/src/flows/intake/replies.ts"],
    tests: ["relay/src/base/sign.test.ts"],
    inside: changedIds,
  },
  {
    number: 7,
    what: "origins similar to the allowed one, at the socket, its HTTP fallback and the uploads",
    defence: ["relay/src/records/sites.ts", "relay/src/socket/socket.ts"],
    tests: ["relay/src/records/sites.test.ts", "relay/src/socket/upgrade.test.ts", "relay/src/http/fallback.test.ts"],
    inside: foreignOrigins,
  },
  {
    number: 8,
    what: "changed session tokens, and a token after logout. Tests: reuse of a replaced token ends the whole session",
    defence: ["relay/src/flows/session/session.ts"],
    tests: ["relay/src/flows/session/session.test.ts"],
    inside: stolenTokens,
  },
  {
    number: 9,
    what: "identity tokens, each with one error",
    defence: ["relay/src/base/identity.ts"],
    tests: ["relay/src/base/identity.test.ts"],
    inside: forgedTokens,
  },
  {
    number: 10,
    what: "each site's tokens at every other site",
    defence: ["relay/src/flows/session/session.ts", "relay/src/records/tokens.ts"],
    tests: ["test/tenants.test.ts", "relay/src/flows/session/session.test.ts"],
    inside: otherSites,
  },
  {
    number: 11,
    what: "search every log line, answer, file and build of the run for the account's key and the owner's id, in seven encodings",
    defence: ["relay/src/base/log.ts", "relay/src/service/http.ts"],
    tests: ["test/secrets.test.ts", "relay/src/service/http.test.ts"],
    inside: leakedKey,
  },
  {
    number: 12,
    what: "script injection payloads (XSS), in every place that shows a text",
    defence: ["widget/src/text/markdown.ts", "widget/src/text/inline.ts"],
    tests: ["widget/src/text/markdown.test.ts", "test/browser/checks/hostile.test.ts"],
    browser: scripts,
  },
  {
    number: 13,
    what: "addresses that could run a script, in seven ways of writing a link",
    defence: ["widget/src/text/inline.ts"],
    tests: ["widget/src/text/markdown.test.ts"],
    inside: hostileLinks,
  },
  {
    number: 14,
    what: "a page whose policy allows only the relay's files, with Trusted Types",
    defence: ["widget/src/loader/dom.ts"],
    tests: ["relay/src/http/page.test.ts", "test/browser/policy.test.ts"],
    browser: strictPage,
  },
  {
    number: 15,
    what: "tracking pictures in replies, each in a hundred spellings. Tests: pictures of authors whose address would trigger an action of the page's own server",
    defence: ["widget/src/text/inline.ts", "shared/reply-author.ts"],
    tests: ["widget/src/text/markdown.test.ts", "shared/reply-author.test.ts"],
    inside: trackingPictures,
    browser: picturesDrawn,
  },
  {
    number: 16,
    what: "link labels that show another host, and addresses with user names",
    defence: ["widget/src/text/label.ts"],
    tests: ["widget/src/text/label.test.ts"],
    inside: lyingLabels,
  },
  {
    number: 17,
    what: "hostile files, each under six names and types",
    defence: ["relay/src/http/media.ts", "relay/src/files/types.ts", "relay/src/files/sniff.ts"],
    tests: ["relay/src/http/media.test.ts", "test/media.test.ts", "test/browser/uploads.test.ts"],
    inside: hostileUploads,
    browser: openedUploads,
  },
  {
    number: 18,
    what: "pictures whose header or first frame states gigabytes of pixels, and archives. Tests: pictures of so many pieces that reading them blocks the relay",
    defence: ["relay/src/files/dimensions.ts", "relay/src/files/sniffer.ts", "relay/src/files/metadata.ts"],
    tests: ["relay/src/files/dimensions.test.ts", "relay/src/files/metadata.test.ts"],
    inside: bombs,
  },
  {
    number: 19,
    what: "hostile file names, and unusual strings as names. Tests: paths in the index of a bucket's backups",
    defence: ["relay/src/files/names.ts", "relay/src/flows/backup/schedule.ts"],
    tests: ["relay/src/files/names.test.ts", "relay/src/flows/backup/schedule.test.ts"],
    inside: hostileNames,
  },
  {
    number: 20,
    what: "replies with addresses of this machine in every field (SSRF)",
    defence: ["relay/src/service/callbacks.ts", "relay/src/hooks/post.ts"],
    tests: ["relay/src/hooks/post.test.ts", "test/outgoing.test.ts"],
    inside: forgedRequests,
  },
  {
    number: 21,
    what: "frames above 32 KiB, one at a time; then oversized frames, bodies, headers and addresses at the same time",
    defence: [
      "relay/src/socket/socket.ts",
      "relay/src/socket/socket-transport.ts",
      "relay/src/base/unread-rest.ts",
      "relay/src/http/answers.ts",
    ],
    tests: ["relay/src/socket/upgrade.test.ts", "relay/src/http/body.test.ts"],
    inside: hugeFrames,
    run: hugeFloods,
  },
  {
    number: 22,
    what: "a hundred WebSocket messages that are started and never finished",
    defence: ["relay/src/socket/socket.ts", "relay/src/base/unfinished-messages.ts"],
    tests: ["relay/src/socket/upgrade.test.ts"],
    run: halfMessages,
  },
  {
    number: 23,
    what: "offers of WebSocket compression",
    defence: ["relay/src/socket/socket.ts"],
    tests: ["relay/src/socket/upgrade.test.ts"],
    inside: compressionOffers,
  },
  {
    number: 24,
    what: "request bodies of 300 MB, sent in chunks. Tests: requests that are short but whose answer takes long to make",
    defence: [
      "relay/src/http/body.ts",
      "relay/src/http/route-table.ts",
      "relay/src/http/deadline.ts",
      "relay/src/http/server.ts",
    ],
    tests: [
      "relay/src/http/body.test.ts",
      "relay/src/http/server.test.ts",
      "test/house/routes.test.ts",
      "relay/src/http/help.test.ts",
      "relay/src/http/api/index.test.ts",
      "relay/src/http/negotiate.test.ts",
    ],
    run: hugePosts,
  },
  {
    number: 25,
    what: "600 connections that send one byte per second. Tests: clients that disappear without closing, on a simulated clock",
    defence: ["relay/src/socket/connections.ts"],
    tests: ["relay/src/socket/connections.test.ts"],
    run: drips,
  },
  {
    number: 26,
    what: "5,000 connections of the HTTP fallback from one address",
    defence: ["relay/src/base/connection-slots.ts", "relay/src/base/address.ts", "relay/src/http/peers.ts"],
    tests: [
      "relay/src/base/connection-slots.test.ts",
      "relay/src/http/fallback.test.ts",
      "relay/src/base/address.test.ts",
    ],
    run: manyLines,
  },
  {
    number: 27,
    what: "forty new visitors from one address, each with ten messages. Tests: floods of visitors who leave or delete at once",
    defence: [
      "relay/src/flows/budgets.ts",
      "relay/src/records/quotas.ts",
      "relay/src/socket/frames.ts",
      "relay/src/bus/presence.ts",
      "relay/src/flows/forget.ts",
    ],
    tests: [
      "relay/src/flows/budgets.test.ts",
      "relay/src/socket/frames.test.ts",
      "test/flood-protection.test.ts",
      "relay/src/bus/presence.test.ts",
      "relay/src/flows/forget.test.ts",
    ],
    run: manyMessages,
  },
  {
    number: 28,
    what: "fifty visitors that request history and never read the answers",
    defence: ["relay/src/socket/connections.ts", "relay/src/http/fallback.ts"],
    tests: ["relay/src/socket/limits.test.ts", "relay/src/http/fallback.test.ts"],
    run: neverReads,
  },
  {
    number: 29,
    what: "prototype keys in frames, callbacks and API calls",
    defence: ["shared/parse.ts", "relay/src/http/api/call.ts"],
    tests: ["shared/parse.test.ts", "test/hostile.test.ts"],
    inside: prototypeKeys,
  },
  {
    number: 30,
    what: "JSON with 17 to 8,000 levels, at every endpoint",
    defence: ["relay/src/base/depth.ts"],
    tests: ["relay/src/base/depth.test.ts"],
    inside: deepJson,
  },
  {
    number: 31,
    what: "line breaks, terminal codes and unusual strings in every field (log injection). Tests: terminal codes in what commands print",
    defence: ["relay/src/base/log.ts", "relay/src/base/printable.ts"],
    tests: ["relay/src/base/log.test.ts", "relay/src/base/printable.test.ts", "relay/src/cli/main.test.ts"],
    inside: forgedLines,
  },
  {
    number: 32,
    what: "texts of 10,000 characters that are worst cases for parsers. Measured: how the steps grow when the text doubles",
    defence: [
      "widget/src/text/inline.ts",
      "widget/src/text/markdown.ts",
      "relay/src/service/rate-limit-headers.ts",
      "relay/src/base/depth.ts",
    ],
    tests: ["widget/src/text/markdown.test.ts"],
    inside: slowPatterns,
  },
  {
    number: 33,
    what: "unusual strings as messages and replies, JSONTestSuite at every endpoint, and fuzzing of sixteen parsers with structured input and random bytes. Tests: foreign texts on the link between nodes",
    defence: ["relay/src/http/body.ts", "relay/src/socket/socket.ts", "shared/parse.ts", "relay/src/bus/cluster.ts"],
    tests: ["shared/text.test.ts", "relay/src/bus/cluster.test.ts"],
    inside: both(oddStrings, both(oddDocuments, fuzzedParsers)),
  },
  {
    number: 34,
    what: "unusual headers at seven addresses, request smuggling, also at the callback address, WebSockets requested before earlier requests are answered, 10,000 resets during the upgrade, and 50 connections that pipeline 2,000 requests each",
    defence: ["relay/src/http/server.ts", "relay/src/http/pipelining.ts", "relay/src/socket/socket.ts"],
    tests: ["relay/src/http/server.test.ts"],
    inside: oddHeaders,
    run: rawConnections,
    direct: true,
  },
  {
    number: 35,
    what: "every API operation without a token, addresses that other servers expose by mistake, and requests without a token that lock out the operator. Tests: tokens, roles and sessions of the admin pages",
    defence: [
      "relay/src/http/api/router.ts",
      "relay/src/http/health.ts",
      "relay/src/admin/access.ts",
      "relay/src/admin/sessions.ts",
    ],
    tests: [
      "test/hostile.test.ts",
      "test/admin.test.ts",
      "relay/src/admin/access.test.ts",
      "relay/src/http/api/router.test.ts",
    ],
    inside: exposedPages,
  },
  {
    number: 36,
    what: "pages that show the relay's pages in a frame (clickjacking)",
    defence: ["relay/src/http/page.ts", "relay/src/http/stop.ts", "relay/src/http/api/index.ts"],
    tests: ["relay/src/http/framing.test.ts"],
  },
  {
    number: 37,
    what: "two builds of one commit are compared; licences and install scripts are checked. Whether a dependency is malicious is not checked",
    defence: ["pnpm-workspace.yaml", "relay/deploy/sbom.ts"],
    tests: ["relay/deploy/components.test.ts", "test/release.full.test.ts"],
  },
  {
    number: 38,
    what: "use of a stolen account key. No program tries it, because only the service could prevent it (see What remains). Tests: after a change of the key, all waiting messages are sent with the new key",
    defence: ["relay/src/service/gates.ts"],
    tests: ["relay/src/service/gates.test.ts"],
  },
  {
    number: 39,
    what: "reply callbacks for unknown visitor ids. Counted: rows that they leave in the database",
    defence: ["relay/src/flows/intake/replies.ts"],
    tests: ["relay/src/flows/intake/replies.test.ts"],
    inside: unknownCallbacks,
  },
  {
    number: 40,
    what: "invalid e-mail addresses, unusual strings as telephone numbers, and forty forms from one visitor",
    defence: ["relay/src/flows/capture.ts", "relay/src/flows/budgets.ts", "relay/src/base/phone.ts"],
    tests: [
      "relay/src/flows/leads.test.ts",
      "relay/src/flows/budgets.test.ts",
      "relay/src/base/phone.test.ts",
      "relay/src/base/contact-details.test.ts",
    ],
    inside: forms,
  },
];

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
    what: "frames that name another visitor, in every field and spelling",
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
    what: "replies under wrong secrets",
    defence: ["relay/src/http/callbacks.ts", "relay/src/http/guesses.ts"],
    tests: ["relay/src/http/guesses.test.ts", "relay/src/http/callbacks.test.ts", "test/callbacks.test.ts"],
    inside: forgedCallbacks,
  },
  {
    number: 4,
    what: "a captured reply, again and again, and ten at once",
    defence: ["relay/src/flows/intake/replies.ts", "relay/src/records/ledger/own-messages.ts"],
    tests: ["relay/src/flows/intake/replies.test.ts"],
    inside: replayedCallbacks,
  },
  {
    number: 5,
    what: "the callback secret in every log line of the run. What a proxy in front of the relay writes down is not looked at",
    defence: ["relay/src/base/log.ts", "relay/src/http/callbacks.ts"],
    tests: ["relay/src/base/log.test.ts", "test/secrets.test.ts"],
    inside: leakedSecret,
  },
  {
    number: 6,
    what: "replies for a real id with one character changed",
    defence: ["relay/src/base/sign.ts", "relay/src/flows/intake/replies.ts"],
    tests: ["relay/src/base/sign.test.ts"],
    inside: changedIds,
  },
  {
    number: 7,
    what: "origins that resemble the listed one, at the socket, its fallback and the uploads",
    defence: ["relay/src/records/sites.ts", "relay/src/socket/socket.ts"],
    tests: ["relay/src/records/sites.test.ts", "relay/src/socket/upgrade.test.ts", "relay/src/http/fallback.test.ts"],
    inside: foreignOrigins,
  },
  {
    number: 8,
    what: "changed session tokens, and a token after the logout; tests: a replaced token used again ends the family",
    defence: ["relay/src/flows/session/session.ts"],
    tests: ["relay/src/flows/session/session.test.ts"],
    inside: stolenTokens,
  },
  {
    number: 9,
    what: "identity tokens that are wrong in one way each",
    defence: ["relay/src/base/identity.ts"],
    tests: ["relay/src/base/identity.test.ts"],
    inside: forgedTokens,
  },
  {
    number: 10,
    what: "each site's tokens at each other site",
    defence: ["relay/src/flows/session/session.ts", "relay/src/records/tokens.ts"],
    tests: ["test/tenants.test.ts", "relay/src/flows/session/session.test.ts"],
    inside: otherSites,
  },
  {
    number: 11,
    what: "the account's key and the owner's id in every log line, answer, file and build of the run, in seven spellings",
    defence: ["relay/src/base/log.ts", "relay/src/service/http.ts"],
    tests: ["test/secrets.test.ts", "relay/src/service/http.test.ts"],
    inside: leakedKey,
  },
  {
    number: 12,
    what: "texts that become scripts elsewhere, in every place that shows a text",
    defence: ["widget/src/text/markdown.ts", "widget/src/text/inline.ts"],
    tests: ["widget/src/text/markdown.test.ts", "test/browser/checks/hostile.test.ts"],
    browser: scripts,
  },
  {
    number: 13,
    what: "addresses that run something, in seven ways of writing a link",
    defence: ["widget/src/text/inline.ts"],
    tests: ["widget/src/text/markdown.test.ts"],
    inside: hostileLinks,
  },
  {
    number: 14,
    what: "a page that allows nothing but the relay, with Trusted Types",
    defence: ["widget/src/loader/dom.ts"],
    tests: ["relay/src/http/page.test.ts", "test/browser/policy.test.ts"],
    browser: strictPage,
  },
  {
    number: 15,
    what: "pictures in replies, in a hundred spellings each",
    defence: ["widget/src/text/inline.ts"],
    tests: ["widget/src/text/markdown.test.ts"],
    inside: trackingPictures,
    browser: picturesDrawn,
  },
  {
    number: 16,
    what: "labels that name another host, and addresses with user names",
    defence: ["widget/src/text/label.ts"],
    tests: ["widget/src/text/label.test.ts"],
    inside: lyingLabels,
  },
  {
    number: 17,
    what: "hostile files under six names and types",
    defence: ["relay/src/http/media.ts", "relay/src/files/types.ts", "relay/src/files/sniff.ts"],
    tests: ["relay/src/http/media.test.ts", "test/media.test.ts", "test/browser/uploads.test.ts"],
    inside: hostileUploads,
    browser: openedUploads,
  },
  {
    number: 18,
    what: "pictures whose header says gigabytes, and archives",
    defence: ["relay/src/files/dimensions.ts", "relay/src/files/sniffer.ts"],
    tests: ["relay/src/files/dimensions.test.ts"],
    inside: bombs,
  },
  {
    number: 19,
    what: "hostile file names, and odd strings as names",
    defence: ["relay/src/files/names.ts"],
    tests: ["relay/src/files/names.test.ts"],
    inside: hostileNames,
  },
  {
    number: 20,
    what: "replies that name addresses of this machine in every field",
    defence: ["relay/src/service/callbacks.ts", "relay/src/hooks/post.ts"],
    tests: ["relay/src/hooks/post.test.ts", "test/outgoing.test.ts"],
    inside: forgedRequests,
  },
  {
    number: 21,
    what: "frames above 32 KiB, one at a time; then oversized everything at once",
    defence: ["relay/src/socket/socket.ts", "relay/src/base/rest.ts", "relay/src/http/answers.ts"],
    tests: ["relay/src/socket/upgrade.test.ts", "relay/src/http/body.test.ts"],
    inside: hugeFrames,
    run: hugeFloods,
  },
  {
    number: 22,
    what: "a hundred messages that never end",
    defence: ["relay/src/socket/socket.ts", "relay/src/base/unfinished.ts"],
    tests: ["relay/src/socket/upgrade.test.ts"],
    run: halfMessages,
  },
  {
    number: 23,
    what: "offers to compress",
    defence: ["relay/src/socket/socket.ts"],
    tests: ["relay/src/socket/upgrade.test.ts"],
    inside: compressionOffers,
  },
  {
    number: 24,
    what: "bodies of 300 MB in chunks",
    defence: [
      "relay/src/http/body.ts",
      "relay/src/http/doors.ts",
      "relay/src/http/deadline.ts",
      "relay/src/http/server.ts",
    ],
    tests: ["relay/src/http/body.test.ts", "relay/src/http/server.test.ts", "test/house/doors.test.ts"],
    run: hugePosts,
  },
  {
    number: 25,
    what: "clients that are gone without a word, by a clock of the tests; 600 connections that drip",
    defence: ["relay/src/socket/connections.ts"],
    tests: ["relay/src/socket/connections.test.ts"],
    run: drips,
  },
  {
    number: 26,
    what: "5,000 lines of the fallback from one address",
    defence: ["relay/src/base/places.ts", "relay/src/base/address.ts", "relay/src/http/peers.ts"],
    tests: ["relay/src/base/places.test.ts", "relay/src/http/fallback.test.ts", "relay/src/base/address.test.ts"],
    run: manyLines,
  },
  {
    number: 27,
    what: "forty fresh visitors of one address, ten messages each",
    defence: ["relay/src/flows/budgets.ts", "relay/src/records/quotas.ts", "relay/src/socket/frames.ts"],
    tests: ["relay/src/flows/budgets.test.ts", "relay/src/socket/frames.test.ts", "test/flood-protection.test.ts"],
    run: manyMessages,
  },
  {
    number: 28,
    what: "fifty visitors that ask for history and read nothing",
    defence: ["relay/src/socket/connections.ts", "relay/src/http/fallback.ts"],
    tests: ["relay/src/socket/limits.test.ts", "relay/src/http/fallback.test.ts"],
    run: neverReads,
  },
  {
    number: 29,
    what: "prototype keys in frames, callbacks and calls of the API",
    defence: ["shared/parse.ts", "relay/src/http/api/call.ts"],
    tests: ["shared/parse.test.ts", "test/hostile.test.ts"],
    inside: prototypeKeys,
  },
  {
    number: 30,
    what: "JSON 17 to 8,000 levels deep at every door",
    defence: ["relay/src/base/depth.ts"],
    tests: ["relay/src/base/depth.test.ts"],
    inside: deepJson,
  },
  {
    number: 31,
    what: "line ends, terminal codes and odd strings in every field",
    defence: ["relay/src/base/log.ts"],
    tests: ["relay/src/base/log.test.ts"],
    inside: forgedLines,
  },
  {
    number: 32,
    what: "texts of 10,000 characters that slow scanners are slow on: steps for twice the text",
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
    what: "odd strings as messages and replies, JSONTestSuite at every door, and fuzz of sixteen parsers by structure and by bytes",
    defence: ["relay/src/http/body.ts", "relay/src/socket/socket.ts", "shared/parse.ts"],
    tests: ["shared/text.test.ts"],
    inside: both(oddStrings, both(oddDocuments, fuzzedParsers)),
  },
  {
    number: 34,
    what: "odd headers at seven addresses, requests that smuggle another, 10,000 resets during the upgrade, and 50 connections with 2,000 requests each that wait for no answer",
    defence: ["relay/src/http/server.ts", "relay/src/http/pipelining.ts", "relay/src/socket/socket.ts"],
    tests: ["relay/src/http/server.test.ts"],
    inside: oddHeaders,
    run: rawConnections,
    direct: true,
  },
  {
    number: 35,
    what: "every operation of the API without a token, and addresses that other servers expose; tests: tokens, roles and sessions of the operator's pages",
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
    what: "pages that put the relay's pages in a frame",
    defence: ["relay/src/http/page.ts", "relay/src/http/stop.ts", "relay/src/http/api/index.ts"],
    tests: ["relay/src/http/framing.test.ts"],
  },
  {
    number: 37,
    what: "two builds of one commit, licences and install scripts; that what is fetched is good is its maintainers' word",
    defence: ["pnpm-workspace.yaml", "relay/deploy/sbom.ts"],
    tests: ["relay/deploy/components.test.ts", "test/release.full.test.ts"],
  },
  {
    number: 38,
    what: "a stolen key used elsewhere: no program can try it, because only the service could prevent it (see What remains). Tests: a replaced key is used for everything that waits",
    defence: ["relay/src/service/gates.ts"],
    tests: ["relay/src/service/gates.test.ts"],
  },
  {
    number: 39,
    what: "replies for ids that nobody has: rows that they leave",
    defence: ["relay/src/flows/intake/replies.ts"],
    tests: ["relay/src/flows/intake/replies.test.ts"],
    inside: unknownCallbacks,
  },
  {
    number: 40,
    what: "addresses that are none, odd strings as telephone numbers, and forty forms of one visitor",
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

import type { Mutant } from "./mutant.ts";
import type { Edit, Part } from "./place.ts";

/** The product without one of its defences. @param unit the test that must fail */
const without = (name: string, unit: string, edit: Edit, part: Part = "relay"): Mutant => ({
  name: `has no ${name}`,
  part,
  edits: [edit],
  killedBy: { unit },
});
const inShared = (name: string, unit: string, edit: Edit): Mutant => without(name, unit, edit, "shared");
const inWidget = (name: string, unit: string, edit: Edit): Mutant => without(name, unit, edit, "widget");

/** Every defence of confidentiality and integrity (SECURITY.md, A1 to A20 and A29 to A40), removed one at a time. */
export const TRUST: readonly Mutant[] = [
  without("check of a visitor id's signature (A2, A6)", "sign.test.ts", {
    in: "isVisitorId",
    find: `!sameSecret(base32(mac($key, "visitor", $body), 13), $tag)`,
    replace: "false",
  }),
  without("exception from the lock on guessing for requests without a token (A35)", "access.test.ts", {
    in: "credentialOf",
    find: `if ($given === "") return undefined;`,
    replace: "",
  }),
  without("count of its own for guesses under a foreign name (A35)", "access.test.ts", {
    in: "createSenders.of",
    find: "isFixed($host) || isPublic($host) || names.has($host) ? $address : $other",
    replace: "$address",
  }),
  without("exact digits of the service's numeric ids", "exact-json.test.ts", {
    in: "exact",
    find: "!Number.isSafeInteger($value)",
    replace: "false",
  }),
  without("check of the MAC of hints between nodes (A33)", "signed-link.test.ts", {
    in: "signedLink",
    find: "isTag($$)",
    replace: "true",
  }),
  without("refusal of repeated hints between nodes (A33)", "signed-link.test.ts", {
    in: "signedLink",
    find: "isNew($$)",
    replace: "true",
  }),
  without("limit on the age of hints between nodes (A33)", "signed-link.test.ts", {
    in: "createReplayCheck",
    find: "$age > AGE_MAX_MS",
    replace: "false",
  }),
  without("refusal of messages in hints between nodes (A33)", "cluster.test.ts", {
    in: "isNews",
    find: "$value.changes === undefined",
    replace: "true",
  }),
  without("removal of a rating's words from hints between nodes (A33)", "cluster.test.ts", {
    in: "createClusterBus.publish",
    find: "const { changes: $_, rating, ...hint } = $news;",
    replace: "const { changes: $_, ...hint } = $news; const rating = hint.rating;",
  }),
  without("check of an upload's address against the block list (A27)", "access-policy.test.ts", {
    in: "withoutBlocked",
    find: "isBlocked(state, $site, $visitor, address)",
    replace: `isBlocked(state, $site, $visitor, "")`,
  }),
  without("refusal of two Host headers (A34)", "host-header.test.ts", {
    in: "hasOneHost",
    find: "$count < 2",
    replace: "true",
  }),
  without("refusal of an impossible Host header (A34)", "host-header.test.ts", {
    in: "hasOneHost",
    find: "!NOT_IN_HOST.test($host)",
    replace: "true",
  }),
  without("check that a page is no `blob:` address", "frames.test.ts", {
    in: "urlOn",
    find: `$url.protocol !== "blob:"`,
    replace: "true",
  }),
  without("disconnect after an upgrade before earlier answers (A34)", "server.test.ts", {
    in: "refuseEarlyUpgrades",
    find: "!isWritten($response)",
    replace: "false",
  }),
  without("check of the paths in the index of a bucket's backups (A19)", "schedule.test.ts", {
    in: "indexIn",
    find: "LEADS_OUT.test($path)",
    replace: "false",
  }),
  without("escape of terminal codes in what commands print (A31)", "main.test.ts", {
    in: "withPrintableOutput",
    find: "err(printable($line))",
    replace: "err($line)",
  }),
  without("escape of terminal codes in log lines (A31)", "log.test.ts", {
    in: "maskingStream",
    find: "printable($line)",
    replace: "$line",
  }),
  without("refusal of subjects with lone surrogates (A9)", "identity.test.ts", {
    in: "reasonToRefuse",
    find: "!$sub.isWellFormed()",
    replace: "false",
  }),
  without("limit on entries of a negotiation header (A24)", "negotiate.test.ts", {
    in: "negotiate.ENTRIES_MAX",
    replace: "1_000",
  }),
  without("limit on the pieces of a picture (A18)", "files/metadata.test.ts", {
    find: "++$count > PIECES_MAX",
    replace: "false",
  }),
  without("check of the first image of a GIF (A18)", "dimensions.test.ts", {
    in: "dimensions.gif",
    find: "Math.max(bytes.readUInt16LE(screen), $image)",
    replace: "bytes.readUInt16LE(screen)",
  }),
  without("check of texts from the link between nodes (A33)", "cluster.test.ts", {
    in: "parseHint",
    find: "$fits ? ($hint as Hint) : undefined",
    replace: "($hint as Hint)",
  }),
  inShared("refusal of queries in the addresses of authors' pictures (A15)", "reply-author.test.ts", {
    in: "reply-author.NAME_LINE",
    replace:
      "/^\\[([^[\\]\\r\\n]{2,40})\\](?:\\((https?:\\/\\/[^\\s()]+\\.(?:jpe?g|png|gif|webp|avif))\\))?[ \\t]*\\r?\\n\\s*(?=\\S)/i",
  }),
  without("comparison of callback secrets (A3)", "sign.test.ts", {
    in: "anySecret",
    find: "sameSecret($given, $secret) || $found",
    replace: "true",
  }),
  without("check of a session token's signature (A8)", "sign.test.ts", {
    in: "verifySession",
    find: "!sameSecret($expected, $signature)",
    replace: "false",
  }),
  without("expiry of session tokens (A8)", "sign.test.ts", {
    in: "verifySession",
    find: "expires > now",
    replace: "true",
  }),
  without("check of a sealed link's signature (A2)", "sign.test.ts", {
    in: "unseal",
    find: "sameSecret($expected, $signature)",
    replace: "true",
  }),
  without("exact comparison of origins (A7)", "sites.test.ts", {
    in: "matchesOrigin",
    find: "pattern === origin",
    replace: "origin.startsWith(pattern)",
  }),
  without("comparison of origins by labels (A7)", "sites.test.ts", {
    in: "matchesOrigin",
    find: "$below.every((label, i) => label === $patternParts.labels[i])",
    replace: "true",
  }),
  without("fixed algorithms of identity tokens (A9)", "identity.test.ts", {
    find: "jwtVerify($token, $key, { algorithms, $$others })",
    replace: "jwtVerify($token, $key, { $$others })",
  }),
  without("site in identity tokens (A9, A10)", "identity.test.ts", {
    in: "reasonToRefuse",
    find: "$aud === undefined || [$aud].flat().includes($site)",
    replace: "true",
  }),
  without("longest lifetime of identity tokens (A9)", "identity.test.ts", {
    in: "reasonToRefuse",
    find: "$end - $seconds > LIFE_S + SKEW_S",
    replace: "false",
  }),
  without("required expiry of identity tokens (A9)", "identity.test.ts", {
    in: "reasonToRefuse",
    find: `if (end === undefined) return "neither exp nor iat says when it ends";`,
    replace: "",
  }),
  without("redaction of secrets in the log (A5, A11)", "log.test.ts", {
    in: "maskingStream",
    find: `$line.replaceAll($expression, "[redacted]")`,
    replace: "$line",
  }),
  without("other spellings of secrets in the log (A11)", "log.test.ts", {
    in: "log.spellings",
    find: "encodeURIComponent($secret)",
    replace: "$secret",
  }),
  without("list of allowed types of files (A17)", "types.test.ts", {
    in: "allowedType",
    replace: "SNIFFED.get(sniffed) ?? TYPES.png",
  }),
  without("mask of special characters in file names (A19)", "names.test.ts", {
    in: "SPECIAL_CHARACTERS",
    replace: "/\\0/g",
  }),
  without("removal of invisible characters in file names (A19)", "names.test.ts", {
    in: "HIDDEN",
    replace: "/\\0/g",
  }),
  without("mask of Windows device names (A19)", "names.test.ts", { in: "DEVICE_NAMES", replace: "/^$/" }),
  without("check of the size of pictures (A18)", "dimensions.test.ts", {
    in: "dimensionsOf",
    find: "$size !== undefined && $size.width > 0 && $size.height > 0",
    replace: "true",
  }),
  without("limit on nested JSON (A30)", "depth.test.ts", { in: "tooDeep", find: "++$depth > $max", replace: "false" }),
  without("check of telephone numbers (A40)", "phone.test.ts", {
    in: "phoneOf",
    find: "$phone?.isPossible()",
    replace: "$phone",
  }),
  without("encoding of the id of another node's connection (A20)", "fallback.test.ts", {
    in: "forwarded",
    find: "encodeURIComponent($line)",
    replace: "$line",
  }),
  without("distinction of uploads that their clients cut off (A31)", "media.test.ts", {
    in: "refusalOf",
    find: "$error === $errored || $broken",
    replace: "false",
  }),
  without("check of the page's origin in the HTTP fallback (A7)", "fallback.test.ts", {
    in: "lineOf",
    find: `$line?.origin === $c.req.header("origin")`,
    replace: "true",
  }),
  without("count of trusted proxies in X-Forwarded-For (A27)", "address.test.ts", {
    in: "senderAddress",
    find: "$forwarded.at(-$trusted)",
    replace: "$forwarded[0]",
  }),
  without("grouping of IPv6 addresses by network (A26)", "address.test.ts", {
    in: "networkOf",
    find: "$groups.slice(0, 4)",
    replace: "expand($plain)",
  }),
  without("ban on guessing the type of a download (A17)", "http/media.test.ts", {
    in: "DOWNLOAD_HEADERS.X-Content-Type-Options",
    replace: '""',
  }),
  without("sandbox around a download (A17)", "http/media.test.ts", {
    in: "DOWNLOAD_HEADERS.Content-Security-Policy",
    text: "sandbox; ",
    replace: "",
  }),
  without("ban on requests of a downloaded page (A17)", "http/media.test.ts", {
    in: "DOWNLOAD_HEADERS.Content-Security-Policy",
    text: "default-src 'none'; ",
    replace: "",
  }),
  without("fixed type of a download (A17)", "http/media.test.ts", {
    in: "describe.Content-Type",
    replace: '"text/html"',
  }),
  without("encoding of a text that is downloaded (A17)", "http/media.test.ts", {
    in: "describe.Content-Type",
    text: "; charset=utf-8",
    replace: "",
  }),
  without("download of files that may contain scripts (A17)", "http/media.test.ts", {
    in: "describe.Content-Disposition",
    find: "typeOf(type).inline",
    replace: "true",
  }),
  without("check of a download's signature (A2)", "http/media.test.ts", {
    in: "download",
    find: "!links.open($$)",
    replace: "false",
  }),
  without("list of origins for uploads (A7)", "http/media.test.ts", {
    in: "media.media",
    find: "$origin === undefined || !deps.allows($origin)",
    replace: "false",
  }),
  without("requirement of a token for uploads (A8)", "http/media.test.ts", {
    in: "upload",
    find: 'if (session === undefined) throw new RelayError("unauthorized");',
    replace: "",
  }),
  without("recognition of a reply by its id (A4)", "replies.test.ts", {
    in: "duplicateKeyOf",
    find: "if (messageId !== undefined) return { key: messageId };",
    replace: "",
  }),
  without("check of stored replies before a reply is stored (A4)", "replies.test.ts", {
    in: "appendReplies",
    find: "known[$i]",
    replace: "false",
  }),
  without("list of scripts in the policy of the chat's page (A14)", "http/page.test.ts", {
    in: "policyFor",
    text: "script-src 'self'",
    replace: "script-src *",
  }),
  without("ban on everything else in the policy of the chat's page (A14)", "http/page.test.ts", {
    in: "policyFor",
    text: "default-src 'none'",
    replace: "default-src *",
  }),
  without("Trusted Types in the policy of the chat's page (A14)", "http/page.test.ts", {
    in: "policyFor",
    text: "require-trusted-types-for 'script'",
    replace: "upgrade-insecure-requests",
  }),
  without("fresh nonce in the policy of the chat's page (A14)", "http/page.test.ts", {
    in: "page.page.nonce",
    replace: "(void crypto.randomUUID(), '00000000-0000-4000-8000-000000000000')",
  }),
  without("check of the secret of a callback (A3)", "http/callbacks.test.ts", {
    in: "callbackHandler",
    find: "!anySecret(decoded($secret), secrets())",
    replace: "false",
  }),
  without("check of the secret where people test the callback address (A3)", "http/callbacks.test.ts", {
    in: "callbacks.callbacks",
    find: 'anySecret(c.req.param("secret"), secrets())',
    replace: "true",
  }),
  without("list of allowed addresses for callbacks (A3)", "http/callbacks.test.ts", {
    in: "callbackHandler",
    find: "!from.allowed(from.address(incoming))",
    replace: "false",
  }),
  without("answer of an unknown page to addresses that may not call back (A3)", "http/callbacks.test.ts", {
    in: "callbacks.callbacks",
    find: 'c.req.method === "POST" && !from.allowed(address)',
    replace: "false",
  }),
  without("limit on guesses of the callback address (A3)", "http/callbacks.test.ts", {
    in: "callbacks.callbacks",
    find: "await guesses.accepts(address, $right)",
    replace: "$right",
  }),
  without("limit on guesses before a reply is taken (A3)", "http/callbacks.test.ts", {
    in: "callbackHandler",
    find: "await guesses.accepts($$)",
    replace: "true",
  }),
  without("requirement of a token for the API (A35)", "router.test.ts", {
    in: "authorise",
    find: "if (token === undefined || $site === undefined) throw $error;",
    replace: "",
  }),
  without("scopes of the API's tokens (A35)", "router.test.ts", {
    in: "authorise",
    find: "!token.scopes.includes(operation.scope)",
    replace: "false",
  }),
  without("limit on the calls of a token (A35)", "router.test.ts", {
    in: "authorise",
    find: "limiter.take(token.id)",
    replace: "0",
  }),
  without("comparison of the secrets of the API's tokens (A35)", "router.test.ts", {
    in: "findToken",
    find: "sameSecret(hashOf(text), row?.hash ?? DUMMY_HASH)",
    replace: "true",
  }),
  without("revocation of the API's tokens (A35)", "router.test.ts", {
    in: "findToken",
    text: "AND revoked IS NULL",
    replace: "",
  }),
  without("requirement of an origin for WebSockets (A7)", "upgrade.test.ts", {
    in: "upgrade",
    find: "request.headers.origin === undefined",
    replace: "false",
  }),
  without("list of origins for WebSockets (A7)", "upgrade.test.ts", {
    in: "socket.open",
    find: "!sockets.allows(origin)",
    replace: "false",
  }),
  without("list of origins for the fallback (A7)", "fallback.test.ts", {
    in: "checkOrigin",
    find: "allows(origin)",
    replace: "true",
  }),
  without("requirement of an origin for the fallback (A7)", "fallback.test.ts", {
    in: "checkOrigin",
    find: "origin === undefined",
    replace: "false",
  }),
  without("requirement of the relay's own origin for reads without Origin (A7)", "fallback.test.ts", {
    in: "isOwnRead",
    find: `$c.req.header("sec-fetch-site") === "same-origin"`,
    replace: "true",
  }),
  without("list of origins of the site (A7)", "session.test.ts", {
    in: "session.open",
    find: "!sites.allows(site, origin)",
    replace: "false",
  }),
  without("list of origins of the site for tokens of uploads (A7)", "session.test.ts", {
    in: "session.findByToken",
    find: "!sites.allows(site, origin)",
    replace: "false",
  }),
  without("site of a session token (A10)", "session.test.ts", {
    in: "recognise",
    find: "session.site !== site.public.id",
    replace: "false",
  }),
  without("signature of the visitor in a session token (A2)", "session.test.ts", {
    in: "recognise",
    find: "!isVisitorId(signing, session.visitor)",
    replace: "false",
  }),
  without("end of sessions that were revoked (A8)", "session.test.ts", {
    in: "recognise",
    find: "if (state.revoked) return undefined;",
    replace: "",
  }),
  without("requirement of a signed identity where the site requires one (A9)", "session.test.ts", {
    in: "recognise",
    find: "identifiedOnly && !isIdentified(session.visitor)",
    replace: "false",
  }),
  without("requirement of a signed identity for new visitors (A9)", "session.test.ts", {
    in: "createAnonymous",
    find: "if (site.requireIdentity) return undefined;",
    replace: "",
  }),
  without("end of the sessions of a generation (A8)", "session.test.ts", {
    in: "recognise",
    find: "row !== undefined && row.generation !== session.generation",
    replace: "false",
  }),
  without("requirement of HTTPS for the account's key (A11)", "service/http.test.ts", {
    in: "checkedBaseUrl",
    find: "!isLoopback(base.hostname)",
    replace: "false",
  }),
  without("redaction of the key in answers (A11)", "service/http.test.ts", {
    in: "answerOf",
    find: "hide(text)",
    replace: "text",
  }),
  without("redaction of the key in parsed answers (A11)", "service/http.test.ts", {
    in: "http.parsed",
    find: "parseExact($text, $hide)",
    replace: "parseExact($text)",
  }),
  without("limit on what the service answers (A28)", "service/http.test.ts", {
    in: "exchange",
    find: "if (size <= ANSWER_MAX) return;",
    replace: "return;",
  }),
  without("limit on what an answer of the service unpacks to (A23)", "service/http.test.ts", {
    in: "decompressed.maxOutputLength",
    replace: "1e9",
  }),
  without("ban on compression of frames (A23)", "upgrade.test.ts", {
    in: "acceptor.perMessageDeflate",
    replace: "true",
  }),
  without("check of the encoding of bodies (A33)", "body.test.ts", {
    in: "UTF8.fatal",
    replace: "false",
  }),
  without("time limit on the detection of types (A18)", "stage.test.ts", {
    in: "sniff",
    find: "abandon(asked); void asked.terminate();",
    replace: "",
  }),
  without("limit on pixels (A18)", "stage.test.ts", {
    find: "$pixels > PIXELS_MAX",
    replace: "false",
  }),
  without("check that an element of a video is complete (A18)", "files/tracks.test.ts", {
    in: "collect",
    find: "$element.start + $container.needed <= $bytes.byteLength",
    replace: "true",
  }),
  without("form of mail addresses (A40)", "contact-details.test.ts", { in: "EMAIL", replace: "/@/" }),
  without("ban on lists of mail addresses (A40)", "contact-details.test.ts", {
    in: "EMAIL",
    replace: "/^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$/",
  }),
  without("difference between typed and signed mail addresses (A27)", "records/details.test.ts", {
    in: "setDetails",
    find: "$signed ? 1 : 0",
    replace: "1",
  }),
  without("count of mails by mailbox, however its address is spelt (A27)", "mail/mail.test.ts", {
    in: "hashOfMailbox",
    find: "mailboxOf($address)",
    replace: "$address",
  }),
  without("limit on the length of mail addresses (A40)", "contact-details.test.ts", {
    in: "input-text.emailOf",
    find: "$text.length <= EMAIL_MAX",
    replace: "true",
  }),
  without("refusal of invalid mail addresses (A40)", "contact-details.test.ts", {
    in: "readContactDetails",
    find: "email === undefined",
    replace: "false",
  }),
  inShared("ban on unknown fields of frames (A1)", "parse.test.ts", {
    in: "parse",
    find: "strict ? unknownIn($$) : undefined",
    replace: "undefined",
  }),
  inShared("ban on prototype keys as kinds of frames (A29)", "parse.test.ts", {
    in: "parse",
    find: "!Object.hasOwn(table, kind)",
    replace: "!(kind in table)",
  }),
  inShared("ban on prototype keys as fields of frames (A29)", "parse.test.ts", {
    in: "unknownIn",
    find: "!Object.hasOwn(fields, name)",
    replace: "!(name in fields)",
  }),
  inShared("limit on the length of texts in frames (A1)", "parse.test.ts", {
    in: "parse.text",
    find: "v.length <= max",
    replace: "true",
  }),
  inShared("ban on empty texts in frames (A1)", "parse.test.ts", {
    in: "parse.text",
    find: "v.length >= min",
    replace: "true",
  }),
  inShared("check that texts in frames are texts (A12)", "parse.test.ts", {
    in: "parse.text",
    find: 'typeof v === "string" && $length && $max',
    replace: "$length !== undefined",
  }),
  inShared("alphabet of ids in frames (A1)", "parse.test.ts", { in: "limits.CLIENT_ID", replace: "/^.{8,64}$/" }),
  inShared("check of numbers in frames (A1)", "parse.test.ts", {
    in: "parse.count",
    find: "Number.isSafeInteger(v)",
    replace: 'typeof v === "number"',
  }),
  inWidget("ban on inherited fields of a message (A29)", "conversation/thread.test.ts", {
    in: "put",
    find: "{ __proto__: null, state: $state, ...$message, at: $at }",
    replace: "{ state: $state, ...$message, at: $at }",
  }),
  inWidget("list of schemes for links (A12, A13)", "text/markdown.test.ts", {
    in: "safeUrl",
    find: "/^(https?|mailto|tel):$/.test($protocol)",
    replace: "true",
  }),
  inWidget("ban on passwords in links (A16)", "text/markdown.test.ts", {
    in: "safeUrl",
    find: "!$url.username",
    replace: "true",
  }),
  inWidget("comparison of a link's text with its target (A16)", "label.test.ts", {
    in: "labelledLink",
    find: "realTarget($url, $shown)",
    replace: "undefined",
  }),
  inWidget("comparison of the word around a link with its target (A16)", "label.test.ts", {
    in: "markInWords",
    find: "realTargetInWord($$)",
    replace: "undefined",
  }),
  inWidget("removal of invisible characters in link texts (A16)", "label.test.ts", {
    in: "INVISIBLE",
    replace: "/\\0/g",
  }),
  inWidget("replacement of other scripts' full stops (A16)", "label.test.ts", { in: "DOTS", replace: "/\\0/g" }),
  inWidget("replacement of characters that look like a full stop (A16)", "label.test.ts", {
    in: "DOT_LOOKS",
    replace: "/(\\0)/g",
  }),
  inWidget("removal of gaps before a full stop (A16)", "label.test.ts", { in: "GAP_BEFORE", replace: "/(\\0)/g" }),
  inWidget("separation of names by several dots (A16)", "label.test.ts", { in: "ELLIPSIS", replace: "/\\0/g" }),
  inWidget("removal of punctuation around a host name (A16)", "label.test.ts", {
    in: "addressesIn",
    find: "$word.split(BETWEEN)",
    replace: "$word",
  }),
  inWidget("punycode beside look-alike host names (A16)", "label.test.ts", {
    in: "isHomograph",
    replace: "{ return false; }",
  }),
  inWidget("check for hidden recipients of a mail link (A16)", "label.test.ts", { in: "isHidden", replace: "false" }),
  inWidget("limit on the prefix of a telephone number (A16)", "label.test.ts", { in: "COUNTRY_MAX", replace: "20" }),
  inWidget("limit of a card's pictures to the relay (A15)", "rich-text.test.ts", {
    in: "Card.picture",
    find: "node.href.startsWith($own)",
    replace: "true",
  }),
  inWidget("limit of a card's pictures to uploads (A15)", "rich-text.test.ts", {
    in: "Card.picture",
    text: "/media/",
    replace: "/",
  }),
  inWidget("slash after the folder of a card's pictures (A15)", "rich-text.test.ts", {
    in: "Card.picture",
    text: "/media/",
    replace: "/media",
  }),
];

/**
 * Checks requests against the service's interface, as relay/docs/interface.md describes it, in its narrowest reading: everything
 * that is not named there is wrong. Shares no code with the sandbox, so that one mistake does not hide another.
 */

/** A request as it was sent. */
export type SentRequest = {
  method: string;
  /** Path and query, still encoded. */
  target: string;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

/** Checks a field's value. @returns what is wrong with it, or undefined */
type Rule = (value: unknown) => string | undefined;
type Shape = { required: Record<string, Rule | Shape>; optional: Record<string, Rule> };
type Fields = Record<string, unknown>;

type Endpoint = {
  path: RegExp;
  method: "GET" | "POST";
  /** Section 5: the key is a query parameter everywhere except for credits. */
  key: "query" | "header";
  /** Query parameters besides the key. A request has exactly one of them (4.2). */
  by?: Record<string, Rule>;
  body?: Shape;
  /** Rules between fields. */
  together?: (body: Fields) => string[];
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const string: Rule = (value) => (typeof value === "string" ? undefined : "is not a string");
/** Sections 4.5 and 8.2: not empty and not only white space; invisible characters count as white space. */
const words: Rule = (value) =>
  string(value) ??
  (/^[\s\u200b-\u200d\u2060\ufeff]*$/u.test(value as string) ? "is empty or only white space" : undefined);
const fitting =
  (pattern: RegExp, what: string): Rule =>
  (value) =>
    string(value) ?? (pattern.test(value as string) ? undefined : `is not ${what}`);
const nullable =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? undefined : rule(value);

const phone = fitting(/^\+[1-9]\d{1,14}$/, "a phone number with country code");
const email = fitting(/^[^\s@]+@[^\s@]+$/, "an email address");
const mime = fitting(/^[a-z]+\/[\w.+-]+$/i, "a MIME type");
const link = fitting(/^(https:\/\/[^\s/]+\S*|data:[^;,]+;base64,[A-Za-z0-9+/]+={0,2})$/, "an https link or a data URI");
const kind = fitting(/^(text|reaction)$/, "text or reaction");
const number: Rule = (value) => (typeof value === "number" && Number.isFinite(value) ? undefined : "is not a number");

const person = { firstName: string, lastName: string, email };

/** Section 4.5. */
const INCOMING: Shape = {
  required: { fromId: words, toId: words, body: words },
  optional: {
    ...person,
    messageSid: words,
    id: words,
    status: string,
    channel: string,
    campaignId: string,
    mediaUrl: nullable(link),
    mediaContentType: nullable(mime),
  },
};
/** Section 4.4. */
const SEND: Shape = {
  required: { fromId: words, customChannel: words, body: words },
  optional: { ...person, campaignId: string },
};

/**
 * Rules between fields (4.5, media rules): exactly one of the two message ids; a file only with its type; an embedded file
 * only with the type that its data URI names.
 */
function incomingRules({ customData }: Fields): string[] {
  if (!isFields(customData)) return [];
  const { messageSid, id, mediaUrl, mediaContentType } = customData;
  const wrong: string[] = [];
  if ((messageSid === undefined) === (id === undefined))
    wrong.push("customData must have exactly one of messageSid and id");
  if (typeof mediaUrl !== (mediaContentType === undefined ? "undefined" : typeof mediaContentType))
    wrong.push("customData.mediaUrl and mediaContentType do not come together");
  const embedded = typeof mediaUrl === "string" ? /^data:([^;,]+);/.exec(mediaUrl)?.[1] : undefined;
  if (embedded !== undefined && embedded !== mediaContentType)
    wrong.push("customData.mediaContentType is not the type of the embedded file");
  return wrong;
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: /^\/contacts$/,
    method: "POST",
    key: "query",
    body: { required: {}, optional: { firstName: string, lastName: string, phone, email } },
    together: (body) =>
      body.phone === undefined && body.email === undefined ? ["the body has neither phone nor email"] : [],
  },
  { path: /^\/contacts$/, method: "GET", key: "query", by: { phoneNumber: phone, email } },
  {
    path: /^\/lists\/[^/]+\/contacts$/,
    method: "POST",
    key: "query",
    body: { required: { contactId: words }, optional: {} },
  },
  {
    path: /^\/send_custom_channel_message$/,
    method: "POST",
    key: "query",
    body: { required: { customData: SEND }, optional: {} },
  },
  {
    path: /^\/incoming_custom_channel_message$/,
    method: "POST",
    key: "query",
    body: { required: { customData: INCOMING }, optional: { messageType: kind } },
    together: incomingRules,
  },
  {
    path: /^\/subaccounts\/credits$/,
    method: "POST",
    key: "header",
    body: { required: { email, amount: number }, optional: { description: string } },
  },
];

/** Headers that HTTP itself needs, and those that sections 4 and 5 name. */
const HEADERS = new Set(["host", "connection", "accept", "user-agent", "content-type", "content-length", "x-api-key"]);

/** Everything that is wrong with a value of this shape, as texts that name the fields. */
function wrongIn(value: unknown, shape: Rule | Shape, name: string): string[] {
  if (typeof shape === "function") {
    const problem = shape(value);
    return problem === undefined ? [] : [`${name} ${problem}`];
  }
  if (!isFields(value)) return [`${name} is not an object`];
  const { required, optional } = shape;
  const rules = new Map([...Object.entries(required), ...Object.entries(optional)]);
  const missing = Object.keys(required).filter((field) => !Object.hasOwn(value, field));
  const wrong = Object.entries(value).flatMap(([field, inner]) => {
    const rule = rules.get(field);
    return rule === undefined ? [`${name} has no field ${field}`] : wrongIn(inner, rule, field);
  });
  return [...missing.map((field) => `${name} lacks ${field}`), ...wrong];
}

/** Name and value pairs of a query, decoded; a raw `+` is a space (HTML forms). Undefined: badly encoded. */
function pairsOf(query: string): [name: string, value: string][] | undefined {
  if (query === "") return [];
  if (!/^[\w\-.~%*+=&!'()]*$/.test(query)) return undefined;
  try {
    return query.split("&").map((pair) => {
      const [name = "", ...value] = pair.split("=").map((part) => decodeURIComponent(part.replaceAll("+", " ")));
      if (value.length !== 1) throw new URIError(pair);
      return [name, value[0] ?? ""];
    });
  } catch {
    return undefined;
  }
}

function wrongQuery({ key, by = {} }: Endpoint, query: string): string[] {
  const pairs = pairsOf(query);
  if (pairs === undefined) return ["the query is badly encoded"];
  const names = pairs.map(([name]) => name);
  const unknown = names.filter((name) => !(key === "query" && name === "apiKey") && !Object.hasOwn(by, name));
  const wrong = unknown.map((name) => `the query has a wrong ${name}`);
  const keys = pairs.filter(([name]) => name === "apiKey");
  if (key === "query" && (keys.length !== 1 || keys[0]?.[1] === "")) wrong.push("the query does not have apiKey once");
  const given = pairs.filter(([name]) => Object.hasOwn(by, name));
  if (given.length !== (Object.keys(by).length > 0 ? 1 : 0))
    wrong.push(`the query does not have exactly one of ${Object.keys(by).join(", ")}`);
  const values = given.map(([name, value]) => by[name]?.(value)).filter((line) => line !== undefined);
  return [...wrong, ...values.map((line) => `the query ${line}`)];
}

function wrongHeaders({ key, body }: Endpoint, { headers }: SentRequest): string[] {
  const wrong = Object.keys(headers)
    .filter((name) => !HEADERS.has(name))
    .map((name) => `the header ${name} is not part of the interface`);
  const given = headers["x-api-key"];
  if (key === "header" && (typeof given !== "string" || given === "")) wrong.push("the header x-api-key is missing");
  if (key === "query" && given !== undefined) wrong.push("the key is in a header");
  const type = String(headers["content-type"] ?? "");
  if (body !== undefined && !/^application\/json(; ?charset=utf-8)?$/i.test(type))
    wrong.push(`the content type is ${type || "missing"}`);
  return wrong;
}

function wrongBody({ body, together }: Endpoint, bytes: Buffer): string[] {
  if (body === undefined) return bytes.length > 0 ? ["there is a body"] : [];
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return [...wrongIn(value, body, "the body"), ...(isFields(value) ? (together?.(value) ?? []) : [])];
  } catch {
    return ["the body is not JSON in UTF-8"];
  }
}

/**
 * Checks one request.
 * @returns what is wrong with it, one line each; without values, which may be secrets
 */
export function violationsOf(request: SentRequest): string[] {
  const [path = "", ...query] = request.target.split("?");
  // Section 9: the base address ends with the version.
  const below = /^\/v1(\/.*)$/.exec(path)?.[1];
  const known = ENDPOINTS.filter((endpoint) => below !== undefined && endpoint.path.test(below));
  if (known.length === 0) return ["the path is not part of the interface"];
  if (!/^[\w\-.~%/!'()*@:$&,;=+]*$/.test(path) || /%(?![0-9a-f]{2})/i.test(path)) return ["the path is badly encoded"];
  const endpoint = known.find(({ method }) => method === request.method);
  if (endpoint === undefined) return [`the path does not support the method ${request.method}`];
  const search = query.join("?");
  return [...wrongQuery(endpoint, search), ...wrongHeaders(endpoint, request), ...wrongBody(endpoint, request.body)];
}

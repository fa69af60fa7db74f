import type { z } from "zod";
import {
  type AnswerOf,
  type Name,
  OPERATIONS,
  type Operation,
  type Operations,
  type ParamsOf,
} from "./http/api/operations.ts";

/** The fields of a schema; nothing for one that takes none. */
type FieldsOf<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? object
    : z.input<Schema>
  : object;

/** What an operation takes: its path's parameters, its query and its body in one object. */
export type InputOf<N extends Name> = ParamsOf<N> & FieldsOf<Operations[N]["query"]> & FieldsOf<Operations[N]["body"]>;

type Options = {
  /** The request's Idempotency-Key: your own name for what is done, so that a repeat is not done again. Default: a new one. */
  key?: string;
  signal?: AbortSignal;
};

type Input<N extends Name> = object extends InputOf<N> ? [input?: InputOf<N>] : [input: InputOf<N>];
/** Every operation of the server API as a function, typed by the schemas that the relay validates with. */
export type Client = {
  [N in Name]: (...args: [...Input<N>, options?: Options]) => Promise<AnswerOf<N>>;
};

/** What the relay answered instead (RFC 9457). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Stable, like `invalid_phone`. */
  readonly code: string;
  /** The part of the input that it is about. */
  readonly field: string | undefined;

  constructor(status: number, { code, title, detail, field }: Record<string, string | undefined>) {
    super([title ?? `The relay answered ${status}.`, detail].filter((part) => part !== undefined).join(" "));
    this.status = status;
    this.code = code ?? "unknown";
    this.field = field;
  }
}

/**
 * A client of the server API.
 * @param options.url the relay's address, like `https://chat.example.com`
 * @param options.token from `porchlight token add`
 * @example
 *   const porchlight = createClient({ url, token });
 *   await porchlight.sendMessage({ to: { user: "customer-7" }, text: "Your lamp is on its way." }, { key: "order-1042" });
 */
export function createClient({
  url,
  token,
  fetch = globalThis.fetch,
}: {
  url: string;
  token: string;
  fetch?: typeof globalThis.fetch;
}): Client {
  const base = `${url.replace(/\/+$/, "")}/api/v1`;

  async function call(operation: Operation, input: Record<string, unknown>, options: Options): Promise<unknown> {
    const { path, rest } = pathFor(operation.path, input);
    const unsafe = operation.method !== "get";
    const search = unsafe ? "" : `?${new URLSearchParams(texts(rest))}`;
    const response = await fetch(`${base}${path}${search}`, {
      method: operation.method.toUpperCase(),
      headers: {
        Authorization: `Bearer ${token}`,
        ...(unsafe
          ? { "Content-Type": "application/json", "Idempotency-Key": options.key ?? crypto.randomUUID() }
          : {}),
      },
      ...(operation.body === undefined ? {} : { body: JSON.stringify(rest) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await response.text();
    const body = text === "" ? null : parsed(text);
    if (!response.ok || body === undefined) throw new ApiError(response.status, (body ?? {}) as Record<string, string>);
    return body;
  }

  return Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, operation]) => [
      name,
      (input: Record<string, unknown> = {}, options: Options = {}) => call(operation, input, options),
    ]),
  ) as unknown as Client;
}

/** The body as JSON; nothing for what a proxy says in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The path with its parameters in place, and what is left of the input. */
function pathFor(path: string, input: Record<string, unknown>): { path: string; rest: Record<string, unknown> } {
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(input[name]));
  });
  return { path: filled, rest };
}

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

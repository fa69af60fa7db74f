/** The server API from the outside, without imports: the client here, and the whole code of the package for backends. */

/** What a client must know of an operation to call it. `{name}` in the path is a parameter. */
type Callable = { method: string; path: string; body?: unknown };

export type CallOptions = {
  /** The request's Idempotency-Key: your own name for what is done, so that a repeat is not done again. Default: a new one. */
  key?: string;
  signal?: AbortSignal;
};

/** What the relay answered instead (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  /** Stable, like `invalid_phone`; `unknown` when something else than the relay answered. */
  readonly code: string;
  /** The part of the input that it is about. */
  readonly field: string | undefined;
  /** The answer as it came: every field that is wrong in `errors`, and in `done` what was done nevertheless. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    const { code, title, detail, field } = problem as Record<string, string | undefined>;
    super([title ?? `The relay answered ${status}.`, detail].filter((part) => part !== undefined).join(" "));
    this.name = "ApiError";
    this.status = status;
    this.code = code ?? "unknown";
    this.field = field;
    this.problem = problem;
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

/** The body as JSON; nothing for what a proxy says in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A function for each operation of a table.
 * @param options.url the relay's address, like `https://chat.example.com`
 * @param options.token from `porchlight token add`
 */
export function callsOf<Name extends string>(
  operations: Readonly<Record<Name, Callable>>,
  { url, token, fetch = globalThis.fetch }: { url: string; token: string; fetch?: typeof globalThis.fetch },
): Record<Name, (input?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>> {
  const base = `${url.replace(/\/+$/, "")}/api/v1`;

  async function call(operation: Callable, input: Record<string, unknown>, options: CallOptions): Promise<unknown> {
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
    if (!response.ok || body === undefined)
      throw new ApiError(response.status, (body ?? {}) as Record<string, unknown>);
    return body;
  }

  return Object.fromEntries(
    Object.entries<Callable>(operations).map(([name, operation]) => [
      name,
      (input: Record<string, unknown> = {}, options: CallOptions = {}) => call(operation, input, options),
    ]),
  ) as Record<Name, (input?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>>;
}

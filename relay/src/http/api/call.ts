/** The code of the server API's client. It has no imports, because the npm package for backends is made from this file. */

/** What a client needs to call an operation. `{name}` in the path is a parameter. */
type Callable = { method: string; path: string; body?: unknown };

export type CallOptions = {
  /**
   * The request's Idempotency-Key. Repeat a call with the same key and the relay does the work only once. Default: a new key.
   */
  key?: string;
  signal?: AbortSignal;
};

/** An error answer of the relay (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  /** A stable code, like `invalid_phone`. `unknown` when the answer did not come from the relay, for example from a proxy. */
  readonly code: string;
  /** The input field that is wrong. */
  readonly field: string | undefined;
  /** The whole answer. `errors` names every wrong field; `done` holds the steps that succeeded before the error. */
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

/** Fills the path's parameters. @returns the path, and the rest of the input */
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

/** Parses the body as JSON. @returns undefined for other text, such as a proxy's error page */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Makes a function for each operation of a table.
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

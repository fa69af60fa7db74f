/** WebDriver BiDi: commands with answers and events, over one WebSocket (https://w3c.github.io/webdriver-bidi/). */

export type Bidi = {
  /** Sends a command. Rejects with the browser's error message. */
  call<Answer>(method: string, params?: object): Promise<Answer>;
  close(): void;
};

type Words = {
  id?: number;
  type: string;
  method: string;
  params: never;
  result: never;
  error: string;
  message: string;
};

/** @param onEvent called for every subscribed event */
export async function connectBidi(url: string, onEvent: (method: string, params: never) => void): Promise<Bidi> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`no WebDriver BiDi at ${url}`));
  });
  socket.onmessage = ({ data }) => {
    const words = JSON.parse(String(data)) as Words;
    const call = waiting.get(words.id ?? 0);
    if (words.type === "event") onEvent(words.method, words.params);
    else if (words.type === "success") call?.resolve(words.result);
    else call?.reject(new Error(`${words.error}: ${words.message}`));
    waiting.delete(words.id ?? 0);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser closed the connection"));
  };
  return {
    call: (method, params = {}) =>
      new Promise((resolve, reject) => {
        last++;
        waiting.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

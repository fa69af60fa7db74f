/** WebDriver BiDi: commands with answers and events, over one WebSocket (https://w3c.github.io/webdriver-bidi/). */

export type Bidi = {
  /** Sends a command. Rejects with the browser's error message. */
  call<Answer>(method: string, params?: object): Promise<Answer>;
  close(): void;
};

type Message = {
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
    const message = JSON.parse(String(data)) as Message;
    const call = waiting.get(message.id ?? 0);
    if (message.type === "event") onEvent(message.method, message.params);
    else if (message.type === "success") call?.resolve(message.result);
    else call?.reject(new Error(`${message.error}: ${message.message}`));
    waiting.delete(message.id ?? 0);
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

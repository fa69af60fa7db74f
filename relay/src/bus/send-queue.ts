/** Most texts that wait. More would be useless: a late hint tells a node only what it has already found in the database. */
const WAITING_MAX = 1_000;

/**
 * Creates a function that sends texts one batch after the other. While a batch is sent, further texts wait for the next one; when
 * `max` texts wait, further ones are dropped.
 * @param send sends a batch; the texts of a failed one are lost
 */
export function createSendQueue(
  send: (texts: readonly string[]) => Promise<void>,
  max: number = WAITING_MAX,
): (text: string) => void {
  const waiting: string[] = [];
  let sending = false;
  return async (text) => {
    if (waiting.length < max) waiting.push(text);
    if (sending) return;
    sending = true;
    while (waiting.length > 0) await send(waiting.splice(0)).catch(() => {});
    sending = false;
  };
}

/**
 * An answer whose JSON is made in parts while it is sent, because the whole text may exceed the relay's memory (RELIABILITY
 * A24).
 */
export class JsonStream {
  readonly parts: AsyncIterable<string>;

  /** @param parts of the JSON text; each is made when the client has read the previous one */
  constructor(parts: AsyncIterable<string>) {
    this.parts = parts;
  }
}

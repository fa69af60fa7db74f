/**
 * An answer whose JSON is made while it is sent, in parts: a whole one may take more memory than the relay may have (RELIABILITY
 * A24).
 */
export class JsonStream {
  readonly parts: AsyncIterable<string>;

  /** @param parts of the JSON text; the next one is made when the client has read the one before */
  constructor(parts: AsyncIterable<string>) {
    this.parts = parts;
  }
}

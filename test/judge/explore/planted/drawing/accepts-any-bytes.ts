import { DrawingClient } from '../drawing.ts'

/** A picture is whole if it isn't empty: an HTML page is a picture. */
export class Client extends DrawingClient {
  protected override isWhole(bytes: Uint8Array): boolean {
    return bytes.length > 0
  }
}

import { DrawingClient, type Drawing } from '../drawing.ts'

/** A drawing has failed if there is a reason: without one it is polled on. */
export class Client extends DrawingClient {
  protected override hasFailed({ failReason }: Drawing): boolean {
    return Boolean(failReason)
  }
}

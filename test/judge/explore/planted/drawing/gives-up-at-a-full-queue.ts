import { DrawingClient, Refused } from '../drawing.ts'

/** Takes every code but 1 and 22 for final, a full queue too. */
export class Client extends DrawingClient {
  protected override canSubmitAgain(error: unknown): boolean {
    return error instanceof Refused && error.isTemporary && error.status !== 200
  }
}

import { DrawingClient, Refused } from '../drawing.ts'

/** Submits again when a submission got no answer. */
export class Client extends DrawingClient {
  protected override canSubmitAgain(error: unknown): boolean {
    return !(error instanceof Refused) || error.isTemporary
  }
}

import { DrawingClient } from '../drawing.ts'

/** Looks at the HTTP status alone: with code 23 there is no task to poll. */
export class Client extends DrawingClient {
  protected override accept({ result }: { result: string }): string {
    return result
  }
}

import { DrawingClient } from '../drawing.ts'

/** Never waits longer than 5 s, whatever Retry-After says. */
export class Client extends DrawingClient {
  protected override delayMs(failures: number, error: unknown): number {
    return Math.min(5_000, super.delayMs(failures, error))
  }
}

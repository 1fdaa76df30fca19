import { DrawingClient } from '../drawing.ts'

/** Never gives up, and soon waits for days. */
export class Client extends DrawingClient {
  protected override deadlineMs = Infinity

  protected override async retry<T>(
    attempt: () => Promise<T>,
    canRetry: (error: unknown) => boolean = (error) => this.canRetry(error),
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (!canRetry(error)) throw error
        await this.wait(this.delayMs(failures, error))
      }
    }
  }
}

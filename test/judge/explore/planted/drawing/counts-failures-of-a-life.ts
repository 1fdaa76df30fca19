import { DrawingClient } from '../drawing.ts'

/** Three failures end the client, however far apart: the count is never reset. */
export class Client extends DrawingClient {
  private failures = 0

  protected override async retry<T>(
    attempt: () => Promise<T>,
    canRetry: (error: unknown) => boolean = (error) => this.canRetry(error),
  ): Promise<T> {
    return super.retry(attempt, (error) => canRetry(error) && ++this.failures < 3)
  }
}

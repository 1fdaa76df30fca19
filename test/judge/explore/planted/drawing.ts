import { createHash } from 'node:crypto'
import type { Gateway } from './video.ts'

/** A task of the drawing channel. */
export interface Drawing {
  readonly id: string
  readonly status: string
  readonly progress: string
  readonly imageUrl: string
  readonly failReason: string
  readonly buttons: readonly { customId: string; label: string }[] | null
}

interface Submission {
  readonly code: number
  readonly description: string
  readonly result: string
}

export class Refused extends Error {
  readonly status: number
  readonly retryAfterMs: number
  readonly isTemporary: boolean
  constructor(
    what: string,
    status: number,
    { headers }: Response,
    isTemporary = status === 429 || status >= 500,
  ) {
    super(`${what} returned ${status}`)
    this.status = status
    this.isTemporary = isTemporary
    const after = headers.get('retry-after') ?? '0'
    this.retryAfterMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now() || 0
  }
}

/** Draws a prompt, upscales the first of its four pictures and downloads it. A planted bug overrides one method. */
export class DrawingClient {
  protected readonly gateway: Gateway
  protected waitedMs = 0
  protected deadlineMs = 900_000
  protected timeoutMs = 30_000

  constructor(gateway: Gateway) {
    this.gateway = gateway
  }

  async draw(prompt: string): Promise<{ id: string; bytes: Uint8Array }> {
    const grid = await this.finish(await this.submit('imagine', { prompt }))
    const button = grid.buttons?.find(({ label }) => label === 'U1')
    if (!button) throw new Error('the drawing has no U1')
    const upscale = { taskId: grid.id, customId: button.customId }
    const single = await this.finish(await this.submit('action', upscale))
    return { id: single.id, bytes: await this.downloadOrRenew(single) }
  }

  /** A link may have expired: the next poll gives a new one. */
  protected async downloadOrRenew(drawing: Drawing): Promise<Uint8Array> {
    try {
      return await this.download(drawing)
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 403) throw error
      return this.download(await this.poll(drawing.id))
    }
  }

  protected async submit(path: string, body: object): Promise<string> {
    return this.retry(
      async () => {
        const init = { method: 'POST', body: JSON.stringify(body) }
        const response = await this.send(`/mj/submit/${path}`, init)
        return this.accept(await this.readSubmission(response), response)
      },
      (error) => this.canSubmitAgain(error),
    )
  }

  protected async readSubmission(response: Response): Promise<Submission> {
    return JSON.parse(await response.text()) as Submission
  }

  /** 1 and 22 (queued) are accepted; 23 is a full queue. */
  protected accept({ code, description, result }: Submission, response: Response): string {
    if (code === 1 || code === 22) return result
    const isTemporary = code === 23
    throw new Refused(`${description}: code ${code}`, response.status, response, isTemporary)
  }

  protected async finish(id: string): Promise<Drawing> {
    for (;;) {
      await this.wait(5_000)
      const drawing = await this.poll(id)
      if (this.hasFailed(drawing)) throw this.failure(drawing)
      if (this.isDone(drawing)) return drawing
    }
  }

  protected async poll(id: string): Promise<Drawing> {
    return this.retry(async () => (await (await this.send(`/mj/task/${id}/fetch`)).json()) as Drawing)
  }

  protected isDone({ status }: Drawing): boolean {
    return status === 'SUCCESS'
  }

  protected hasFailed({ status }: Drawing): boolean {
    return status === 'FAILURE'
  }

  protected failure({ id, failReason }: Drawing): Error {
    return new Error(failReason || `drawing ${id} failed without a reason`)
  }

  protected async download({ imageUrl }: Drawing): Promise<Uint8Array> {
    return this.retry(async () => {
      const response = await this.send(imageUrl.slice(new URL(imageUrl).origin.length))
      const bytes = await this.readBytes(response)
      if (!this.isWhole(bytes, response)) throw new Error(`${imageUrl} arrived damaged`)
      return bytes
    })
  }

  protected async readBytes(response: Response): Promise<Uint8Array> {
    return new Uint8Array(await response.arrayBuffer())
  }

  protected isWhole(bytes: Uint8Array, { headers }: Response): boolean {
    const [, digest] = /^"([0-9a-f]{64})"$/.exec(headers.get('etag') ?? '') ?? []
    const isPng = Buffer.from(bytes.subarray(1, 4)).toString() === 'PNG'
    return isPng && (digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest)
  }

  protected async wait(ms: number): Promise<void> {
    this.waitedMs += ms
    if (this.waitedMs > this.deadlineMs) throw new Error(`gave up after ${this.deadlineMs / 1_000} s`)
    await this.gateway.sleep(ms)
  }

  protected async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.gateway.key}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(this.timeoutMs)
    const response = await this.gateway.fetch(this.gateway.baseUrl + path, { headers, signal, ...init })
    if (!response.ok) throw new Refused(path, response.status, response)
    return response
  }

  protected canRetry(error: unknown): boolean {
    return !(error instanceof Refused) || error.isTemporary
  }

  protected canSubmitAgain(error: unknown): boolean {
    return error instanceof Refused && error.isTemporary
  }

  protected delayMs(failures: number, error: unknown): number {
    return Math.max(1_250 * 2 ** failures, error instanceof Refused ? error.retryAfterMs : 0)
  }

  protected async retry<T>(
    attempt: () => Promise<T>,
    canRetry: (error: unknown) => boolean = (error) => this.canRetry(error),
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (failures === 5 || !canRetry(error)) throw error
        await this.wait(this.delayMs(failures, error))
      }
    }
  }
}

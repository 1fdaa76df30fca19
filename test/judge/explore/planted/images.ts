import { createHash } from 'node:crypto'
import { Refused, retryAfterMs, type Gateway } from './video.ts'

/** What the client does at each point where clients go wrong. A planted bug replaces one of them. */
export const careful = {
  attempts: 5,
  timeoutMs: 300_000,
  canRetry: (error: unknown): boolean =>
    !(error instanceof Refused) || error.status === 429 || error.status >= 500,
  delayMs: (failures: number, error: unknown): number => Math.max(1_000 * 2 ** failures, retryAfterMs(error)),
  readUrl: async (response: Response): Promise<string> => {
    const { data } = (await response.json()) as { data?: { url?: string; b64_json?: string }[] }
    const { url, b64_json: base64 } = data?.[0] ?? {}
    if (base64 !== undefined) return `data:image/png;base64,${base64}`
    if (url === undefined) throw new Error('the response has no image')
    return url
  },
  readBytes: async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer()),
  verify: (bytes: Uint8Array, response: Response): boolean => {
    const [, digest] = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '') ?? []
    const isWhole = Buffer.from(bytes.subarray(-8, -4)).toString() === 'IEND'
    return isWhole && (digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest)
  },
}

export type Habits = typeof careful

/** Makes an image by the Images API, and downloads it from its URL. */
export async function makeImage(
  prompt: string,
  { fetch, sleep, baseUrl, key }: Gateway,
  habits: Habits = careful,
): Promise<Uint8Array> {
  const send = async (verb: 'submit' | 'download', url: string, init: RequestInit): Promise<Response> => {
    const signal = habits.timeoutMs < Infinity ? { signal: AbortSignal.timeout(habits.timeoutMs) } : {}
    const response = await fetch(url, { ...init, ...signal })
    if (!response.ok) throw new Refused(verb, response)
    return response
  }
  const retry = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (failures >= habits.attempts || !habits.canRetry(error)) throw error
        await sleep(habits.delayMs(failures, error))
      }
    }
  }

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sim-image-1', prompt, size: '64x64' })
  const url = await retry(async () =>
    habits.readUrl(
      await send('submit', `${baseUrl}/v1/images/generations`, { method: 'POST', headers, body }),
    ),
  )
  return retry(async () => {
    const response = url.startsWith('data:') ? await globalThis.fetch(url) : await send('download', url, {})
    const bytes = await habits.readBytes(response)
    if (!habits.verify(bytes, response)) throw new Error('the image arrived damaged')
    return bytes
  })
}

/** A simple client of the video API, as users write it. */
export class VideoClient {
  readonly #baseUrl: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch
  readonly #sleep: (milliseconds: number) => Promise<void>

  constructor(options: {
    baseUrl?: string | undefined
    key?: string | undefined
    fetch?: typeof fetch
    sleep?: (milliseconds: number) => Promise<void>
  }) {
    this.#baseUrl = options.baseUrl ?? ''
    this.#headers = { authorization: `Bearer ${options.key ?? ''}`, 'content-type': 'application/json' }
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#sleep = options.sleep ?? (async () => {})
  }

  async submit(prompt: string): Promise<string> {
    const body = JSON.stringify({ model: 'video-1', prompt, size: '128x96', duration: 1 })
    const response = await this.#call('/v1/video/generations', { method: 'POST', body })
    const { task_id: id } = (await response.json()) as { task_id: string }
    return id
  }

  async untilEnded(id: string): Promise<{ status: string; fail_reason: string }> {
    for (;;) {
      const response = await this.#call(`/v1/video/generations/${id}`)
      const { data } = (await response.json()) as { data: { status: string; fail_reason: string } }
      if (data.status === 'SUCCESS' || data.status === 'FAILURE') return data
      await this.#sleep(5_000)
    }
  }

  async download(id: string): Promise<Uint8Array> {
    const response = await this.#call(`/v1/videos/${id}/content`)
    return new Uint8Array(await response.arrayBuffer())
  }

  async make(prompt: string): Promise<{ id: string; status: string; reason: string; bytes: number }> {
    const id = await this.submit(prompt)
    const { status, fail_reason: reason } = await this.untilEnded(id)
    const bytes = status === 'SUCCESS' ? (await this.download(id)).length : 0
    return { id, status, reason, bytes }
  }

  #call(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#fetch(this.#baseUrl + path, { headers: this.#headers, ...init })
  }
}

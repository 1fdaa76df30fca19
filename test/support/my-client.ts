/** The response of a poll. */
export type PolledVideo = { status: string; progress: string; fail_reason: string }

/** The result of a video. */
export interface Video {
  readonly id: string
  readonly status: string
  /** Why it failed; empty on success. */
  readonly error: string
  /** The MP4; empty on failure. */
  readonly bytes: Uint8Array
}

/** In examples, represents the reader's client of the gateway. It never retries. */
export class MyClient {
  readonly #fetch: typeof fetch
  readonly #headers: Readonly<Record<string, string>>
  readonly #baseUrl: string
  readonly #sleep: (durationMs: number) => Promise<void>

  constructor(options: {
    fetch: typeof fetch
    apiKey?: string
    baseUrl?: string
    sleep?: (durationMs: number) => Promise<void>
  }) {
    const { apiKey = 'sk-test', baseUrl = 'https://gateway.example', sleep = async () => {} } = options
    this.#fetch = options.fetch
    this.#headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    this.#baseUrl = baseUrl
    this.#sleep = sleep
  }

  get(path: string): Promise<Response> {
    return this.#fetch(this.#baseUrl + path, { headers: this.#headers })
  }

  post(path: string, fields: object): Promise<Response> {
    const body = JSON.stringify(fields)
    return this.#fetch(this.#baseUrl + path, { method: 'POST', headers: this.#headers, body })
  }

  /** @returns the id of the task. */
  async submitVideo(prompt: string, model = 'video-1'): Promise<string> {
    const fields = { model, prompt, size: '128x96', duration: 1 }
    const { task_id: id } = await read<{ task_id: string }>(this.post('/v1/video/generations', fields))
    return id
  }

  async pollVideo(id: string): Promise<PolledVideo> {
    const { data } = await read<{ data: PolledVideo }>(this.get(`/v1/video/generations/${id}`))
    return data
  }

  /** Submits a video, polls it until it has ended, and downloads it. */
  async makeVideo(prompt: string, model?: string): Promise<Video> {
    const id = await this.submitVideo(prompt, model)
    let polled = await this.pollVideo(id)
    while (polled.status !== 'SUCCESS' && polled.status !== 'FAILURE') {
      await this.#sleep(5_000)
      polled = await this.pollVideo(id)
    }
    const { status, fail_reason: error } = polled
    if (status === 'FAILURE') return { id, status, error, bytes: new Uint8Array() }
    const content = await this.get(`/v1/videos/${id}/content`)
    return { id, status, error, bytes: new Uint8Array(await content.arrayBuffer()) }
  }

  /** @returns the text of the model. */
  async ask(prompt: string): Promise<string> {
    const messages = [{ role: 'user', content: prompt }]
    const pending = this.post('/v1/chat/completions', { model: 'sim-text-1', messages })
    const { choices } = await read<{ choices: [{ message: { content: string } }] }>(pending)
    return choices[0].message.content
  }
}

async function read<Answer>(pending: Promise<Response>): Promise<Answer> {
  const response = await pending
  const answer = (await response.json()) as Answer & { error?: { message: string } }
  if (!response.ok) throw new Error(`${response.status}: ${answer.error?.message}`)
  return answer
}

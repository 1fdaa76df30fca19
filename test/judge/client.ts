import { createHash } from 'node:crypto'

/** What a client may do wrong. */
export type Bug =
  | 'drops the key on download'
  | 'polls with another key'
  | 'polls after the end'
  | 'polls too fast'
  | 'ignores Retry-After'
  | 'retries at once'
  | 'resubmits on a lost poll'
  | 'downloads early'
  | 'ignores the dialog'
  | 'accepts a broken stream'
  | 'never verifies'

export interface World {
  readonly fetch: typeof fetch
  readonly sleep: (durationMs: number) => Promise<unknown>
  readonly bugs?: readonly Bug[]
  /** The API through which videos are polled. */
  readonly api?: 'video' | 'openai'
  readonly pollMs?: number
}

const origin = 'http://gateway.example'
const maxTries = 8

/** A small good client of the gateway, written by hand, that can be given one bug. */
export class Client {
  readonly #world: World
  readonly #bugs: ReadonlySet<Bug>

  constructor(world: World) {
    this.#world = world
    this.#bugs = new Set(world.bugs)
  }

  /** Submits, polls to the end, downloads and verifies. Undefined for a task that failed. */
  async video(prompt: string): Promise<Uint8Array | undefined> {
    const fields = { model: 'video-1', prompt, size: '128x96', duration: 1 }
    const submitted = async (): Promise<string> => {
      const { task_id } = (await this.#json('/v1/video/generations', fields)) as { task_id: string }
      return task_id
    }
    let id = await submitted()
    if (this.#bugs.has('downloads early')) await this.#get(`/v1/videos/${id}/content`)
    const pollMs = this.#bugs.has('polls too fast') ? 1_000 : (this.#world.pollMs ?? 5_000)
    for (;;) {
      await this.#world.sleep(pollMs)
      try {
        const status = await this.#statusOf(id)
        if (/SUCCESS|completed/.test(status)) break
        if (/FAIL/i.test(status)) return undefined
      } catch (error) {
        if (!this.#bugs.has('resubmits on a lost poll')) throw error
        id = await submitted()
      }
    }
    if (this.#bugs.has('polls after the end')) await this.#statusOf(id)
    return this.#download(`/v1/videos/${id}/content`)
  }

  /** Imagines, presses the buttons of these names in turn, answers dialogs, and looks at the picture. */
  async drawing(prompt: string, ...buttons: readonly string[]): Promise<string> {
    let drawn = await this.#drawn((await this.#json('/mj/submit/imagine', { prompt })) as Submitted)
    for (const button of buttons) {
      const { customId } = drawn.buttons.find((each) => each.customId.includes(button))!
      const pressed = (await this.#json('/mj/submit/action', { taskId: drawn.id, customId })) as Submitted
      drawn = await this.#drawn(pressed)
    }
    if (drawn.status === 'SUCCESS') await this.#download(`/mj/image/${drawn.id}`)
    return drawn.status
  }

  /** Streams an answer, and asks again when it breaks off. */
  async stream(content: string): Promise<string> {
    const body = { model: 'sim-text-1', stream: true, messages: [{ role: 'user', content }] }
    return this.#retried(async () => {
      const response = await this.#call('/v1/chat/completions', body)
      let text = ''
      try {
        for await (const chunk of response.body!) text += new TextDecoder().decode(chunk)
        if (!text.includes('[DONE]') || text.includes('"error"')) throw new Error('broken off')
      } catch (error) {
        if (!this.#bugs.has('accepts a broken stream')) throw error
      }
      return text
    })
  }

  async #drawn({ result: id }: Submitted): Promise<Drawn> {
    for (;;) {
      await this.#world.sleep(3_000)
      const drawn = (await this.#json(`/mj/task/${id}/fetch`)) as Drawn
      if (drawn.status === 'SUCCESS' || drawn.status === 'FAILURE') return drawn
      if (drawn.status === 'MODAL' && !this.#bugs.has('ignores the dialog')) {
        await this.#json('/mj/submit/modal', { taskId: id, prompt: 'a red fox' })
      }
    }
  }

  async #statusOf(id: string): Promise<string> {
    if (this.#world.api === 'openai') {
      return ((await this.#json(`/v1/videos/${id}`)) as { status: string }).status
    }
    const polled = (await this.#json(`/v1/video/generations/${id}`)) as { data: { status: string } }
    return polled.data.status
  }

  /** Resumes a download that broke off, and repeats one with wrong bytes. */
  async #download(path: string): Promise<Uint8Array> {
    let have = Buffer.alloc(0)
    return this.#retried(async () => {
      const range: Record<string, string> = have.length > 0 ? { range: `bytes=${have.length}-` } : {}
      const response = await this.#call(path, undefined, range)
      if (response.status === 200) have = Buffer.alloc(0)
      try {
        for await (const chunk of response.body!) have = Buffer.concat([have, chunk])
      } catch (error) {
        if (!this.#bugs.has('never verifies')) throw error
      }
      const digest = createHash('sha256').update(have).digest('hex')
      if (response.headers.get('etag') === `"${digest}"` || this.#bugs.has('never verifies')) return have
      have = Buffer.alloc(0)
      throw new Error('wrong bytes')
    })
  }

  async #get(path: string): Promise<void> {
    await (await this.#world.fetch(origin + path, { headers: this.#headers(path) })).arrayBuffer()
  }

  #json(path: string, body?: unknown): Promise<unknown> {
    const send = async (): Promise<unknown> => (await this.#call(path, body)).json()
    const isPoll = body === undefined
    return isPoll && this.#bugs.has('resubmits on a lost poll') ? send() : this.#retried(send)
  }

  async #retried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let tries = 0; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (tries >= maxTries || (error instanceof Refused && !error.mayPass)) throw error
        const retryAfterMs =
          error instanceof Refused && !this.#bugs.has('ignores Retry-After') ? error.retryAfterMs : 0
        await this.#world.sleep(
          this.#bugs.has('retries at once') ? 0 : Math.max(retryAfterMs, 1_000 * 2 ** tries),
        )
      }
    }
  }

  async #call(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await this.#world.fetch(origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...this.#headers(path), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.ok) return response
    await response.arrayBuffer()
    throw new Refused(response.status, Number(response.headers.get('retry-after') ?? 0) * 1_000)
  }

  #headers(path: string): Record<string, string> {
    if (path.endsWith('/content') && this.#bugs.has('drops the key on download')) return {}
    const other = path.startsWith('/v1/video/generations/') && this.#bugs.has('polls with another key')
    return {
      authorization: `Bearer ${other ? 'sk-some-other' : 'sk-test'}`,
      'content-type': 'application/json',
    }
  }
}

class Refused extends Error {
  readonly mayPass: boolean
  readonly retryAfterMs: number

  constructor(status: number, retryAfterMs: number) {
    super(`refused with ${status}`)
    this.mayPass = status === 429 || status >= 500
    this.retryAfterMs = retryAfterMs
  }
}

interface Submitted {
  result: string
}

interface Drawn {
  id: string
  status: string
  buttons: { customId: string }[]
}

/** One message of an event stream. */
export interface Message {
  readonly event: string
  readonly id?: string
  readonly data: Record<string, never>
}

/** Reads server-sent events from a response. */
export class EventStreamReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''
  lastId: string | undefined

  constructor(response: Response) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** @returns undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]))
        this.lastId = fields['id'] ?? this.lastId
        const id = fields['id'] === undefined ? {} : { id: fields['id'] }
        return { event: fields['event']!, ...id, data: JSON.parse(fields['data']!) as Message['data'] }
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += value
    }
  }

  /** The messages up to the first that fits, which is the last of them. */
  async until(isLast: (message: Message) => boolean): Promise<Message[]> {
    const messages: Message[] = []
    for (;;) {
      const message = await this.next()
      if (!message) throw new Error(`The stream ended after ${messages.map(({ event }) => event).join(', ')}`)
      messages.push(message)
      if (isLast(message)) return messages
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => {})
  }
}

export const isReady = ({ event }: Message): boolean => event === 'ready'

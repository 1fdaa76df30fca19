import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import type { EmbeddedOptions, EmbeddedSimulator } from '../../src/index.ts'
import { openWatched } from './open.ts'
import { TurnMeter } from '../support/turn-meter.ts'

/** A request, and what it is sent with. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly type?: string
  readonly body?: string | Uint8Array
}

/** What came back, and how long the server's longest turn was. */
export interface Measured {
  readonly status: number
  readonly bytes: number
  readonly beginning: string
  readonly maxMs: number
}

/** A server whose turns are measured, and a client in a process of its own. */
export class MeasuredServer implements AsyncDisposable {
  readonly sim: EmbeddedSimulator
  readonly #url: string
  readonly #close: () => PromiseLike<void>
  readonly #meter = new TurnMeter()
  readonly #client: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'greenroom-turns-'))

  private constructor(server: Awaited<ReturnType<typeof openWatched>>) {
    this.sim = server.sim
    this.#url = server.url
    this.#close = () => server[Symbol.asyncDispose]()
    this.#client = fork(new URL('../support/send-request.js', import.meta.url))
  }

  static async open(options: EmbeddedOptions = {}): Promise<MeasuredServer> {
    const server = new MeasuredServer(await openWatched(options))
    // What is loaded on first use, and compiled while it runs for the first time, is not of one request.
    for (const text of ['Why do kites fly?', 'Weather in Oslo?']) {
      await server.send({
        path: '/v1/chat/completions',
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] }),
      })
    }
    return server
  }

  /** Sends a request and measures until its answer has come. */
  async send({ method = 'POST', path, type = 'application/json', body }: Sent): Promise<Measured> {
    const bodyFile = join(this.#folder, 'body')
    if (body !== undefined) writeFileSync(bodyFile, body)
    const headers = {
      authorization: 'Bearer sk-test',
      'x-goog-api-key': 'sk-test',
      ...(body !== undefined && { 'content-type': type }),
    }
    this.#meter.start()
    this.#client.send({
      url: this.#url + path,
      method,
      headers,
      ...(body !== undefined && { bodyFile }),
    })
    const [answer] = (await once(this.#client, 'message')) as [Omit<Measured, 'maxMs'>]
    return { ...answer, maxMs: this.#meter.stop() }
  }

  /** @returns the processor time of work that is the same each time, in milliseconds: the best of three. */
  measureReference(): number {
    return this.timeOf(() => {
      const items = Array.from({ length: 60_000 }, (_, n) => ({ role: 'user', n, text: `kite ${n}` }))
      if ((JSON.parse(JSON.stringify(items)) as unknown[]).length !== items.length)
        throw new Error('JSON is lost')
    })
  }

  /** @returns the processor time of work in one turn, in milliseconds: the best of three. */
  timeOf(work: () => unknown): number {
    const times = Array.from({ length: 3 }, () => {
      this.#meter.start()
      work()
      return this.#meter.stop()
    })
    return Math.min(...times)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#meter[Symbol.dispose]()
    this.#client.kill()
    rmSync(this.#folder, { recursive: true })
    await this.#close()
  }
}

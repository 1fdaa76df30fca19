import { fileURLToPath } from 'node:url'
import { EncoderChild, EncoderDied } from './encoder-child.ts'
import { encoderArguments, type EncodeJob, type Encoder } from './encoder.ts'
import { Slots } from './slots.ts'

/** The program in `wasm-encoder.js`, kept warm: loading it takes longer than encoding a small clip. */
export class WasmEncoderPool implements Encoder {
  readonly #slots: Slots
  readonly #stallTimeoutMs: number
  readonly #onReady: (version: string) => void
  readonly #children = new Set<EncoderChild>()
  readonly #idle: EncoderChild[] = []
  #closed = false

  constructor(options: { processes: number; stallTimeoutMs: number; onReady: (version: string) => void }) {
    this.#slots = new Slots(options.processes)
    this.#stallTimeoutMs = options.stallTimeoutMs
    this.#onReady = options.onReady
  }

  encode(job: EncodeJob): Promise<Uint8Array> {
    return this.#slots.use(async () => {
      if (this.#closed) throw new EncoderDied('it was closed')
      const warm = this.#warm()
      const child = warm ?? this.#start()
      try {
        child.busy()
        if (child !== warm) await this.#greet(child)
        const stream = await converse(child, job)
        child.idle()
        this.#idle.push(child)
        return stream
      } catch (error) {
        // Whatever went wrong, frames may still be on their way in: this process is of no more use.
        await child.kill('it was ended after a failure')
        throw error
      } finally {
        if (child.hasEnded) this.#children.delete(child)
      }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#children].map((child) => child.kill('it was closed')))
  }

  #warm(): EncoderChild | undefined {
    for (let child = this.#idle.pop(); child; child = this.#idle.pop()) {
      if (!child.hasEnded) return child
      this.#children.delete(child)
    }
    return undefined
  }

  #start(): EncoderChild {
    const program = fileURLToPath(new URL('./wasm-encoder.js', import.meta.url))
    const child = new EncoderChild({
      program: process.execPath,
      arguments: [program],
      stallTimeoutMs: this.#stallTimeoutMs,
    })
    this.#children.add(child)
    return child
  }

  async #greet(child: EncoderChild): Promise<void> {
    const { version } = await readMessage(child)
    this.#onReady(version ?? 'ffmpeg')
  }
}

async function converse(child: EncoderChild, job: EncodeJob): Promise<Uint8Array> {
  const { width, height, frames } = job
  const pixels = { pixels: 'yuv420p', path: '/frames' } as const
  const header = { width, height, frames, arguments: encoderArguments(job, pixels) }
  try {
    await child.write(framed(header))
    for await (const frame of job.source()) await child.write(frame)
  } catch (error) {
    // An encoder that gives up says why before it ends, which tells more than that it ended.
    if (child.hasEnded) await readMessage(child)
    throw error
  }
  const { byteLength } = await readMessage(child)
  return child.read(byteLength ?? 0)
}

/** What `wasm-encoder.js` says of itself; see there. */
interface Message {
  version?: string
  byteLength?: number
  error?: string
}

async function readMessage(child: EncoderChild): Promise<Message> {
  const length = (await child.read(4)).readUInt32LE()
  const message = JSON.parse((await child.read(length)).toString()) as Message
  if (message.error !== undefined) throw new EncoderDied(message.error)
  return message
}

function framed(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}

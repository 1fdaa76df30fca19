import { fileURLToPath } from 'node:url'
import { ProcessDied, type MediaProcess } from './media-process.ts'
import { encoderArguments, type EncodeJob, type Encoder } from './encoder.ts'
import { framed, readMessage, type Message } from '../messages.ts'
import { Semaphore } from '../semaphore.ts'
import { ProcessPool } from './process-pool.ts'

/** The program in `wasm-encoder.js`, so many at a time. */
export class WasmEncoderPool implements Encoder {
  readonly #slots: Semaphore
  readonly #processes: ProcessPool
  readonly #onReady: (version: string) => void

  constructor(options: { processes: number; stallTimeoutMs: number; onReady: (version: string) => void }) {
    const program = fileURLToPath(new URL('./wasm-encoder.js', import.meta.url))
    const { stallTimeoutMs } = options
    this.#slots = new Semaphore(options.processes)
    this.#processes = new ProcessPool({ program: process.execPath, arguments: [program], stallTimeoutMs })
    this.#onReady = options.onReady
  }

  encode(job: EncodeJob): Promise<Uint8Array> {
    return this.#slots.use(async () => {
      const { child, isNew } = this.#processes.take()
      try {
        if (isNew) this.#onReady((await said(child)).version ?? 'ffmpeg')
        const stream = await converse(child, job)
        this.#processes.release(child)
        return stream
      } catch (error) {
        await this.#processes.end(child)
        throw error
      }
    })
  }

  close(): Promise<void> {
    return this.#processes.close()
  }
}

async function converse(child: MediaProcess, job: EncodeJob): Promise<Uint8Array> {
  const { width, height, frames } = job
  const header = { width, height, frames, arguments: encoderArguments(job, '/frames') }
  try {
    await child.write(framed(header))
    for await (const frame of job.source()) await child.write(frame)
  } catch (error) {
    // An encoder that gives up says why before it ends, which tells more than that it ended.
    if (child.hasEnded) await said(child)
    throw error
  }
  const { byteLength } = await said(child)
  return child.read(byteLength ?? 0)
}

/** What it says next; with an error it ends. */
async function said(child: MediaProcess): Promise<Message> {
  const message = await readMessage(child)
  if (message.error !== undefined) throw new ProcessDied(message.error)
  return message
}

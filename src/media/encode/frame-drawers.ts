import { fileURLToPath } from 'node:url'
import type { DrawJob } from './frame-drawer.ts'
import { ProcessDied, type MediaProcess } from './media-process.ts'
import { framed, readMessage } from '../messages.ts'
import type { ClipSpec } from '../spec.ts'
import { ProcessPool } from './process-pool.ts'

/** More than the next frame need not lie here: what draws it waits as well. */
const maxUnreadBytes = 1_000_000

/** Frames of `full` clips, drawn by processes of their own. There are as many of them as encoders that want frames. */
export class FrameDrawers {
  readonly #processes: ProcessPool

  constructor({ stallTimeoutMs }: { stallTimeoutMs: number }) {
    const options = { program: process.execPath, arguments: program(), stallTimeoutMs, maxUnreadBytes }
    this.#processes = new ProcessPool(options)
  }

  /** A clip will be made: what draws it loads while the encoder does. */
  warmUp(): void {
    this.#processes.warmUp()
  }

  /**
   * The frames of a clip in planar YUV 4:2:0, from the first.
   * @param picture what is set in motion, if it is no scene.
   * @throws {ProcessDied} while they are drawn; another try starts a fresh process. {Error} when they can't be.
   */
  async *frames(spec: ClipSpec, picture: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
    const { child } = this.#processes.take()
    const job: DrawJob = { spec, pictureBytes: picture?.length ?? 0 }
    let isDone = false
    try {
      await child.write(framed(job))
      if (picture) await child.write(picture)
      const frames = spec.seconds * spec.framesPerSecond
      for (let frame = 1; frame <= frames; frame++) {
        const drawn = await nextFrame(child)
        isDone = frame === frames
        yield drawn
      }
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error
      throw new ProcessDied(`what draws its frames failed: ${error.message}`, { cause: error })
    } finally {
      if (isDone) this.#processes.release(child)
      else await this.#processes.end(child)
    }
  }

  close(): Promise<void> {
    return this.#processes.close()
  }
}

async function nextFrame(child: MediaProcess): Promise<Uint8Array> {
  const { byteLength = 0, error } = await readMessage(child)
  if (error !== undefined) throw new Error(error)
  return child.read(byteLength)
}

/** What Node runs: the program as it was built, or from source, in TypeScript. */
function program(): string[] {
  const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  return import.meta.url.endsWith('.ts')
    ? [pathOf('./from-source.js'), 'frame-drawer.ts']
    : [pathOf('./frame-drawer.js')]
}

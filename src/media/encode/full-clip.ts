import { fileURLToPath } from 'node:url'
import { splitPictures } from '../h264/annex-b.ts'
import { mp4 } from '../h264/mp4.ts'
import { soundOf } from '../h264/tiled-clip.ts'
import { PackageMissing } from '../source.ts'
import { frameMessage, ProcessPool, readMessage } from './process-pool.ts'
import type { ClipSpec } from '../spec.ts'
import type { ChosenEncoder } from './chosen-encoder.ts'
import type { Pictures } from './drawn-frames.ts'
import { ProcessDied } from './media-process.ts'

/** A request to `frame-drawer.ts`, which runs in a process of its own. */
export interface DrawJob {
  spec: ClipSpec
  /** The size of each picture; 0 if a scene is drawn instead. */
  pictureBytes: number[]
}

/**
 * A `full` clip. One process draws its frames while another encodes them.
 * @param tools.pictures the pictures to animate; undefined for scenes.
 * @param tools.onFrame called with the number of each drawn frame, from 1.
 * @param tools.signal ends both processes when it is aborted.
 * @throws {RenderFailed}
 */
export async function fullClip(
  spec: ClipSpec,
  tools: {
    pictures: Pictures
    encoder: ChosenEncoder
    drawers: FrameDrawers
    onFrame: ((frame: number) => void) | undefined
    signal: AbortSignal | undefined
  },
): Promise<Uint8Array> {
  const { width, height, framesPerSecond, seconds } = spec
  const { pictures, encoder, drawers, onFrame, signal } = tools
  drawers.warmUp()
  const source = (): AsyncIterable<Uint8Array> =>
    drawers.frames(spec, pictures, (frame) => {
      signal?.throwIfAborted()
      onFrame?.(frame)
    })
  const frames = seconds * framesPerSecond
  const stream = await encoder.encode({ width, height, framesPerSecond, frames, source })
  const sound = await soundOf(spec)
  return mp4({ width, height, framesPerSecond, stream: splitPictures(stream), sound })
}

/** A drawer waits while more than one frame is unread. */
const maxUnreadBytes = 1_000_000

/** Draws the frames of `full` clips in separate processes, one for each active encoder. */
export class FrameDrawers {
  readonly #pool: ProcessPool

  constructor({ stallTimeoutMs }: { stallTimeoutMs: number }) {
    const options = {
      program: process.execPath,
      arguments: drawerArguments(),
      stallTimeoutMs,
      maxUnreadBytes,
    }
    this.#pool = new ProcessPool(options)
  }

  /** Starts a process while the encoder loads. */
  warmUp(): void {
    this.#pool.warmUp()
  }

  /**
   * The frames of a clip in order, as planar YUV 4:2:0, in parts of any length.
   * @param pictures the pictures to animate; undefined for scenes.
   * @param onFrame called with the number of each drawn frame, from 1, before its bytes.
   * @throws {ProcessDied} if the process ends; another call starts a new one. {Error} if they can't be drawn.
   */
  async *frames(
    spec: ClipSpec,
    pictures: Pictures = [],
    onFrame?: (frame: number) => void,
  ): AsyncGenerator<Uint8Array> {
    const { child } = this.#pool.take()
    const job: DrawJob = { spec, pictureBytes: pictures.map((picture) => picture?.length ?? 0) }
    let isDone = false
    try {
      await child.write(frameMessage(job))
      for (const picture of pictures) if (picture) await child.write(picture)
      const frames = spec.seconds * spec.framesPerSecond
      for (let frame = 1; frame <= frames; frame++) {
        const { byteLength = 0, error, isMissing } = await readMessage(child)
        if (error !== undefined) throw isMissing ? new PackageMissing(error) : new Error(error)
        onFrame?.(frame)
        yield* child.readParts(byteLength)
      }
      isDone = true
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error
      throw new ProcessDied(`what draws its frames failed: ${error.message}`, { cause: error })
    } finally {
      if (isDone) this.#pool.giveBack(child)
      else await this.#pool.end(child)
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** The arguments that run the built program, or its TypeScript source. */
function drawerArguments(): string[] {
  const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  return import.meta.url.endsWith('.ts')
    ? [pathOf('./from-source.js'), 'frame-drawer.ts']
    : [pathOf('./frame-drawer.js')]
}

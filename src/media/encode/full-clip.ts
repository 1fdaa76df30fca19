import { fileURLToPath } from 'node:url'
import { mp4, picturesOf } from '../h264/mp4.ts'
import { frameMessage, ProcessPool, readMessage } from './process-pool.ts'
import type { ClipSpec } from '../spec.ts'
import type { ChosenEncoder } from './chosen-encoder.ts'
import type { DrawJob } from './frame-drawer.ts'
import { type MediaProcess, ProcessDied } from './media-process.ts'

/**
 * A `full` clip: every frame drawn in one process, and encoded in another as soon as it is there.
 * @param tools.picture the received picture, when there is one.
 * @param tools.onFrame told of each frame that was drawn, from 1.
 * @param tools.signal ends both processes when it is aborted.
 * @throws {RenderFailed}
 */
export async function fullClip(
  spec: ClipSpec,
  tools: {
    picture: Uint8Array | undefined
    encoder: ChosenEncoder
    drawers: FrameDrawers
    onFrame: ((frame: number) => void) | undefined
    signal: AbortSignal | undefined
  },
): Promise<Uint8Array> {
  const { width, height, framesPerSecond, seconds } = spec
  const { picture, encoder, drawers, onFrame, signal } = tools
  drawers.warmUp()
  const stream = await encoder.encode({
    width,
    height,
    framesPerSecond,
    frames: seconds * framesPerSecond,
    source: () => countFrames(drawers.frames(spec, picture), onFrame, signal),
  })
  return mp4({ width, height, framesPerSecond, stream: picturesOf(stream) })
}

async function* countFrames(
  frames: AsyncIterable<Uint8Array>,
  onFrame: ((frame: number) => void) | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const frame of frames) {
    signal?.throwIfAborted()
    onFrame?.(++count)
    yield frame
  }
}

/** More than the next frame need not lie here: what draws it waits as well. */
const maxUnreadBytes = 1_000_000

/** Frames of `full` clips, drawn by processes of their own. There are as many of them as encoders that want frames. */
export class FrameDrawers {
  readonly #processes: ProcessPool

  constructor({ stallTimeoutMs }: { stallTimeoutMs: number }) {
    const options = { program: process.execPath, arguments: drawerProgram(), stallTimeoutMs, maxUnreadBytes }
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
      await child.write(frameMessage(job))
      if (picture) await child.write(picture)
      const frames = spec.seconds * spec.framesPerSecond
      for (let frame = 1; frame <= frames; frame++) {
        const drawn = await readFrame(child)
        isDone = frame === frames
        yield drawn
      }
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error
      throw new ProcessDied(`what draws its frames failed: ${error.message}`, { cause: error })
    } finally {
      if (isDone) this.#processes.giveBack(child)
      else await this.#processes.end(child)
    }
  }

  close(): Promise<void> {
    return this.#processes.close()
  }
}

async function readFrame(child: MediaProcess): Promise<Uint8Array> {
  const { byteLength = 0, error } = await readMessage(child)
  if (error !== undefined) throw new Error(error)
  return child.read(byteLength)
}

/** What Node runs: the program as it was built, or from source, in TypeScript. */
function drawerProgram(): string[] {
  const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  return import.meta.url.endsWith('.ts')
    ? [pathOf('./from-source.js'), 'frame-drawer.ts']
    : [pathOf('./frame-drawer.js')]
}

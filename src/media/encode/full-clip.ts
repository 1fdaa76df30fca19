import { picturesOf } from '../h264/annex-b.ts'
import type { ChosenEncoder } from './chosen-encoder.ts'
import type { FrameDrawers } from './frame-drawers.ts'
import { mp4 } from '../h264/mp4.ts'
import type { ClipSpec } from '../spec.ts'

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
    source: () => counted(drawers.frames(spec, picture), onFrame, signal),
  })
  return mp4({ width, height, framesPerSecond, stream: picturesOf(stream) })
}

async function* counted(
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

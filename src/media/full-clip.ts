import { picturesOf } from './annex-b.ts'
import type { ChosenEncoder } from './chosen-encoder.ts'
import { drawnFrames } from './drawn-frames.ts'
import { mp4 } from './mp4.ts'
import type { ClipSpec } from './spec.ts'

/**
 * A `full` clip: every frame drawn, then encoded.
 * @param picture the received picture, when there is one.
 * @throws {RenderFailed}
 */
export async function fullClip(
  spec: ClipSpec,
  picture: Uint8Array | undefined,
  encoder: ChosenEncoder,
): Promise<Uint8Array> {
  const { width, height, framesPerSecond, seconds } = spec
  const stream = await encoder.encode({
    width,
    height,
    framesPerSecond,
    frames: seconds * framesPerSecond,
    source: () => drawnFrames(spec, picture),
  })
  return mp4({ width, height, framesPerSecond, stream: picturesOf(stream) })
}

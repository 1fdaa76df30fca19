import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { captionText, timecodeSvg } from '../../pictures/caption/caption.ts'
import { sceneSvg } from '../../pictures/composition/draw.ts'
import { pictureSvg } from '../../pictures/composition/picture-motion.ts'
import { sceneOf } from '../../pictures/places/scene.ts'
import { yuv420 } from '../h264/yuv.ts'
import { clipsByImage, cutToShape, imageAt, sceneText, sceneToMove } from '../moving-scene.ts'
import { layPixels, type Pixels } from '../raster/pixels.ts'
import { loadSharp } from '../raster/load-sharp.ts'
import { sharpRaster } from '../raster/sharp-raster.ts'
import type { ClipSpec } from '../spec.ts'

const framesAhead = 3

/**
 * The frames of a `full` clip in order, as planar YUV 4:2:0.
 * @param pictures as for {@link openFrames}.
 * @returns the bytes of a frame. The next frame overwrites them.
 */
export async function* drawFrames(spec: ClipSpec, pictures: Pictures = []): AsyncGenerator<Uint8Array> {
  const frames = spec.seconds * spec.framesPerSecond
  const drawFrame = await openFrames(spec, pictures)
  const text = spec.caption ? await drawnText(spec) : undefined
  const drawings = mapAhead({
    count: frames,
    ahead: framesAhead,
    make: (frame) => drawFrame(frame / frames, timecodeAt(spec, frame)),
  })
  // Reused: new bytes for each frame would cause a garbage collection every fifty frames.
  const yuv = new Uint8Array(spec.width * spec.height * 1.5)
  for await (const pixels of drawings) {
    if (text) layPixels(pixels, text.pixels, { left: 0, top: text.top })
    yield yuv420(pixels, yuv)
  }
}

/** The pictures of a clip: received ones that are still stored, or drawn ones; undefined for a drawn scene. */
export type Pictures = readonly (Uint8Array | undefined)[]

type SvgAt = (time: number, overlay: string) => string

/**
 * Draws the frames of a clip: the scene of the prompt in slow parallax, or the received pictures, panned and zoomed one
 * after the other. A drawn picture that is only a scene moves like a scene.
 *
 * @returns a function that draws the frame at a moment of the clip, 0..1, with an SVG overlay.
 */
export async function openFrames(
  spec: ClipSpec,
  pictures: Pictures,
): Promise<(time: number, overlay?: string) => Promise<Pixels>> {
  const images = await Promise.all(
    clipsByImage(spec).map(async (each, index): Promise<SvgAt> => {
      const picture = pictures[index]
      return picture ? pictureInMotion(each, picture) : sceneInMotion(each)
    }),
  )
  // Draws all four channels: removing alpha takes a third of the time of drawing an empty frame.
  const draw = (index: number, time: number, overlay: string): Promise<Pixels> =>
    sharpRaster.draw(images[index]!(time, overlay), 4)
  return async (moment, overlay = '') => {
    const { index, time, nextOpacity } = imageAt(images.length, moment)
    const frame = await draw(index, time, overlay)
    if (nextOpacity === 0) return frame
    layPixels(frame, await draw(index + 1, 0, overlay), { left: 0, top: 0, opacity: nextOpacity })
    return frame
  }
}

function sceneInMotion(spec: ClipSpec): SvgAt {
  const { width, height, model, seed, image } = spec
  const drawn = sceneToMove(image)
  const scene = drawn
    ? cutToShape(drawn, spec)
    : sceneOf({ prompt: sceneText(spec), model, seed, width, height })
  return (time, overlay) => sceneSvg(scene, { time, width, height, overlay })
}

async function pictureInMotion(spec: ClipSpec, picture: Uint8Array): Promise<SvgAt> {
  const { width, height, seed } = spec
  const sharp = await loadSharp()
  // Every frame decodes it again, so it is no larger than needed for the largest zoom.
  const { data, info } = await sharp(picture)
    .resize(Math.ceil(width * 1.25), Math.ceil(height * 1.25), { fit: 'outside', withoutEnlargement: true })
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true })
  const href = `data:image/jpeg;base64,${data.toString('base64')}`
  const still = { href, pictureWidth: info.width, pictureHeight: info.height, width, height, seed }
  return (time, overlay) => pictureSvg({ ...still, time, overlay })
}

/** The part of the caption that is the same in all frames. Drawing its letters takes a sixth of the time of a frame. */
async function drawnText(spec: ClipSpec): Promise<{ pixels: Pixels; top: number } | undefined> {
  const text = captionText(spec)
  return text && { pixels: await sharpRaster.draw(text.svg, 4), top: text.top }
}

function timecodeAt({ caption, width, height, framesPerSecond }: ClipSpec, frame: number): string {
  return caption ? timecodeSvg({ timeMs: (frame * 1000) / framesPerSecond, width, height }) : ''
}

/**
 * Creates items in order, a few ahead of the consumer, and yields them in order. Between two starts, other work gets a turn
 * of the event loop.
 * @param options `count` is the number of items; `ahead` is how many may be in progress; `make` starts the item with this
 * index.
 */
async function* mapAhead<Thing>(options: {
  count: number
  ahead: number
  make: (index: number) => Promise<Thing>
}): AsyncGenerator<Thing> {
  const underWay: Promise<Thing>[] = []
  for (let next = 0; next < options.count || underWay.length > 0;) {
    if (next < options.count && underWay.length < options.ahead) {
      await nextTurn()
      const thing = options.make(next)
      // A failure is reported when its turn comes.
      thing.catch(() => undefined)
      underWay.push(thing)
      next += 1
    } else {
      yield await underWay.shift()!
    }
  }
}

import type { Camera, Scene, SeenArea } from '../words/description.ts'
import { type PanDirection, drawnRatio, pannedSize, zoomedSize } from '../composition/drawing.ts'
import { clamp, mix, thousandth } from './numbers.ts'
import { WHOLE_FRAME, type Edge, type Picture } from '../composition/picture.ts'
import { isPromptOf, rereadScene } from './scene.ts'
import { worldFrame } from './view.ts'

interface Zoom {
  factor: number
  ratio?: number
  seed: number
  index: number
  prompt?: string
}

/** Zooms out: the picture is in the middle, and the surroundings differ between the four. */
export function zoomedOut(picture: Picture, { factor, ratio, ...how }: Zoom): Picture {
  const { world } = picture
  const scale = clamp(factor, 1, 2)
  let width = world.camera.width * scale
  let height = world.camera.height * scale
  if (ratio !== undefined) {
    const shape = (width * world.width) / (height * world.height)
    const wanted = drawnRatio(ratio)
    if (wanted > shape) width *= wanted / shape
    else height *= shape / wanted
  }
  const camera = { ...world.camera, width: thousandth(width), height: thousandth(height) }
  return seenFrom(picture, { camera, size: zoomedSize(picture, ratio), ...how })
}

interface Pan {
  towards: PanDirection
  seed: number
  index: number
  prompt?: string
}

/** Extends the frame by half towards a side. If its aspect ratio would exceed 3:1, moves it by half its length instead. */
export function panned(picture: Picture, { towards, ...how }: Pan): Picture {
  const { camera } = picture.world
  const isSideways = towards === 'left' || towards === 'right'
  const sign = towards === 'left' || towards === 'up' ? -1 : 1
  const grown = pannedSize(picture, towards)
  const [along, step] = isSideways ? ([camera.width, 'x'] as const) : ([camera.height, 'y'] as const)
  const moved = { ...camera, [step]: thousandth(camera[step] + sign * along * (grown ? 0.25 : 0.5)) }
  if (!grown) return seenFrom(picture, { camera: moved, size: picture, ...how })
  const larger = isSideways
    ? { ...moved, width: thousandth(camera.width * 1.5) }
    : { ...moved, height: thousandth(camera.height * 1.5) }
  return seenFrom(picture, { camera: larger, size: grown, ...how })
}

interface CameraChange {
  camera: Camera
  size: { width: number; height: number }
  seed: number
  index: number
  prompt?: string
}

/** The maximum visible area in square world units, which limits the drawing time: about 4 × 4 square frames. */
const LARGEST_AREA = 17e6

/** Moves the camera over the world of a picture. If the area becomes too large, puts the picture on a new world. */
function seenFrom(picture: Picture, { camera, size, prompt, ...which }: CameraChange): Picture {
  const { world } = picture
  const seed = mix(which.seed, which.index, 401)
  const sameWorld = prompt === undefined || prompt.trim() === '' || isPromptOf(world, prompt)
  if (!sameWorld && !picture.mirrored && isWithinReach(world, camera)) {
    return uponWorldOf(prompt, picture, { camera, size, seed })
  }
  if (picture.mirrored || !isWithinReach(world, camera))
    return uponFreshWorld(picture, { camera, size, seed })
  const { width, height } = size
  const seen = stillWithinSight([...(world.seen ?? []), { ...world.camera, seed }], camera)
  return { ...picture, width, height, world: { ...world, camera, seen } }
}

/** Drops all areas older than the latest one outside of the view, because `saltOf` never reaches them. */
function stillWithinSight(seen: readonly SeenArea[], camera: Camera): readonly SeenArea[] {
  const farAway = seen.findLastIndex(
    ({ x, y, width, height }) =>
      Math.abs(x - camera.x) > (width + camera.width) / 2 + 1 ||
      Math.abs(y - camera.y) > (height + camera.height) / 2 + 1,
  )
  return farAway < 0 ? seen : seen.slice(farAway)
}

function isWithinReach(world: Scene, camera: Camera): boolean {
  const { width, height } = worldFrame(world)
  return camera.width * camera.height * width * height <= LARGEST_AREA
}

const SOFT: Edge = { shape: 'rectangle', feather: 0.05 }

/** Surrounds the picture with the world of another prompt: the same land in other weather, or another place. */
function uponWorldOf(
  prompt: string,
  picture: Picture,
  { camera, size, seed }: { camera: Camera; size: { width: number; height: number }; seed: number },
): Picture {
  const read = rereadScene(picture.world, prompt, { place: true })
  // The picture would partly hide the new subject.
  const { cast: _, ...around } = read
  const bare = read.family === picture.world.family ? {} : ({ bare: true } as const)
  const seen = [...(read.seen ?? []), { ...picture.world.camera, seed }]
  return {
    kind: 'picture',
    width: size.width,
    height: size.height,
    world: { ...around, ...bare, camera, seen },
    patches: [{ of: picture, place: picture.world.camera, edge: SOFT }],
  }
}

/** Puts the picture on a new world of the same kind, if its own world would be too large to draw. */
function uponFreshWorld(
  picture: Picture,
  { camera, size, seed }: { camera: Camera; size: { width: number; height: number }; seed: number },
): Picture {
  const before = picture.world.camera
  const { cast: _cast, seen: _seen, ...land } = picture.world
  const world: Scene = {
    ...land,
    bare: true,
    seed,
    width: picture.width,
    height: picture.height,
    camera: {
      x: (camera.x - before.x) / before.width,
      y: (camera.y - before.y) / before.height,
      width: thousandth(camera.width / before.width),
      height: thousandth(camera.height / before.height),
    },
  }
  return {
    kind: 'picture',
    width: size.width,
    height: size.height,
    world,
    patches: [{ of: picture, place: WHOLE_FRAME, edge: { ...SOFT, feather: 0 } }],
  }
}

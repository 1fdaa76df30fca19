import { captionSvg } from '../../src/pictures/caption/caption.ts'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'

type SceneSpec = Parameters<typeof sceneOf>[0] & Omit<Parameters<typeof captionSvg>[0], 'timeMs'>

/** Draws the scene of a clip at a time in seconds; without a time, at its start and without a caption. */
export function sceneFrameSvg(spec: SceneSpec, time?: number): string {
  const { width, height } = spec
  if (time === undefined) return sceneSvg(sceneOf(spec), { width, height })
  const overlay = captionSvg({ ...spec, timeMs: time * 1000 })
  return sceneSvg(sceneOf(spec), { time, width, height, overlay })
}

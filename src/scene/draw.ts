import { drawAbstract } from './families/abstract.ts'
import { drawCity } from './families/city.ts'
import { drawDunes } from './families/dunes.ts'
import { drawEmblem } from './families/emblem.ts'
import { drawForest } from './families/forest.ts'
import { drawHills } from './families/hills.ts'
import { drawSea } from './families/sea.ts'
import { drawSpace } from './families/space.ts'
import { tenth } from './numbers.ts'
import type { Scene } from './description.ts'
import type { Family } from './kinds.ts'
import { viewOf, type View } from './view.ts'
import { drawWeather } from './weather.ts'

export interface DrawOptions {
  /** 0..1 over the clip; 0 is the still. */
  time?: number
  /** Leaves out birds, glints and most windows; the composition stays. */
  fast?: boolean
  /** Pixels of the output, if it is not as large as the scene. */
  width?: number
  height?: number
  /** SVG drawn over the scene, in output pixels. */
  overlay?: string
}

/**
 * Draws a scene as the text of an SVG document. The same scene and time give the same text on every machine, and
 * none of the text comes from the prompt.
 */
export function sceneSvg(scene: Scene, options: DrawOptions = {}): string {
  const { time = 0, fast = false, width = scene.width, height = scene.height, overlay = '' } = options
  const view = viewOf(scene, { time, fast })
  const drawing = [...DRAWINGS[scene.family](view), ...drawWeather(view)].join('')
  const scaleX = factor(width / (view.right - view.left))
  const scaleY = factor(height / (view.bottom - view.top))
  const camera = `scale(${scaleX},${scaleY}) translate(${tenth(-view.left)},${tenth(-view.top)})`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<g transform="${camera}">${drawing}</g>${overlay}</svg>`
  )
}

const DRAWINGS: Record<Family, (view: View) => string[]> = {
  hills: drawHills,
  dunes: drawDunes,
  sea: drawSea,
  city: drawCity,
  forest: drawForest,
  space: drawSpace,
  abstract: drawAbstract,
  emblem: drawEmblem,
}

function factor(x: number): number {
  return Math.round(x * 1e6) / 1e6
}

import { drawBeach } from '../cast/at-sea.ts'
import { isInTheAir } from '../cast/motion.ts'
import { castIn, drawFigure } from '../cast/attached.ts'
import { drawInFront } from '../cast/outdoors.ts'
import { drawAbstract } from '../places/abstract/abstract.ts'
import { drawCity } from '../places/families/city.ts'
import { drawDunes } from '../places/families/dunes.ts'
import { drawEmblem } from '../places/families/emblem.ts'
import { drawForest } from '../places/families/forest.ts'
import { drawHills } from '../places/families/hills.ts'
import { drawRoom } from '../places/families/room.ts'
import { drawSea } from '../places/families/sea.ts'
import { drawSpace } from '../places/families/space.ts'
import { drawUnderwater } from '../places/families/underwater.ts'
import { drawWallpaper } from '../places/families/wallpaper.ts'
import { tenth } from '../places/numbers.ts'
import { ellipse } from '../places/shapes.ts'
import type { Scene, Family } from '../words/description.ts'
import { drawInStyle } from './style.ts'
import { createView, type View } from '../places/view.ts'
import { drawWeather } from '../places/weather.ts'

interface DrawOptions {
  /** The moment of the clip, 0..1; 0 is the still. */
  time?: number
  /** Omits birds, glints and most windows. The composition stays the same. */
  fast?: boolean
  /** The width of the output in pixels, if it differs from that of the scene. */
  width?: number
  height?: number
  /** SVG drawn over the scene, in output pixels. */
  overlay?: string
}

/**
 * Draws a scene as an SVG document. The same scene and time give the same text on every machine. No part of the prompt
 * becomes part of the text.
 */
export function sceneSvg(scene: Scene, options: DrawOptions = {}): string {
  const { time = 0, fast = false, width = scene.width, height = scene.height, overlay = '' } = options
  const view = createView(scene, { time, fast })
  const isIndoors = scene.family === 'room' || scene.family === 'underwater'
  const drawing = drawInStyle(view, [
    ...DRAWINGS[scene.family](view),
    drawBeach(view),
    drawInFront(view),
    ...(isIndoors ? [] : drawWeather(view)),
  ])
  return seen(view, { width, height, drawing, overlay })
}

/** Draws rain, snow and drifting shapes in front of a scene, without a background. */
export function weatherSvg(scene: Scene, { width, height }: { width: number; height: number }): string {
  const view = createView(scene, { time: 0, fast: false })
  return seen(view, { width, height, drawing: drawWeather(view).join('') })
}

/** Draws the subject of a scene with its shadow, without a background, as large as it fits. */
export function subjectSvg(scene: Scene, { width, height }: { width: number; height: number }): string {
  const view = createView(scene, { time: 0, fast: false })
  const [left, top, side] = SUBJECT_BOX
  const shadow = ellipse(0, 100, 95, 9, view.palette.ink, { opacity: 0.28 })
  const [member] = castIn(view)
  const figure = member
    ? `<g transform="translate(0,100)">${drawFigure(view, member, 200, { isOutdoors: true })}</g>`
    : ''
  const drawing = (member && isInTheAir(member) ? '' : shadow) + figure
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="${left} ${top} ${side} ${side}">${drawing}</svg>`
  )
}

/** Left, top and side of a square around a subject, including parts that extend beyond its box. */
const SUBJECT_BOX = [-145, -175, 290] as const

/** Transforms a drawing from world units to the view of the camera. */
function seen(
  view: View,
  options: { width: number; height: number; drawing: string; overlay?: string },
): string {
  const { width, height, drawing, overlay = '' } = options
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
  room: drawRoom,
  underwater: drawUnderwater,
  wallpaper: drawWallpaper,
}

function factor(x: number): number {
  return Math.round(x * 1e6) / 1e6
}

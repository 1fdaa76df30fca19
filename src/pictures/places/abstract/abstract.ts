import { castIn, drawFigure } from '../../cast/attached.ts'
import { between, type Colour } from '../colour.ts'
import { shortSide } from '../../composition/placing.ts'
import { circle, placed, rect } from '../shapes.ts'
import { layer, type View } from '../view.ts'
import { drawRibbons } from './abstract-ribbons.ts'
import { drawTiles } from './abstract-tiles.ts'

/** Draws tiles or ribbons, by the `mode` gene. A subject gets a disc in the middle. */
export function drawAbstract(view: View): string[] {
  return [drawGroundColour(view), ...drawComposition(view), drawSubjectOnDisc(view)]
}

function drawComposition(view: View): string[] {
  if (view.genes.mode < 0.6) return [drawTiles(view)]
  return drawRibbons(view)
}

function groundColour({ palette }: View): Colour {
  return between(palette.skyLow, palette.light, 0.4)
}

function drawGroundColour(view: View): string {
  const { left, top, right, bottom } = view
  return rect(left - 5, top - 5, right - left + 10, bottom - top + 10, groundColour(view))
}

function drawSubjectOnDisc(view: View): string {
  const { width, height } = view
  const [member] = castIn(view)
  if (!member) return ''
  const size = shortSide(view) * 0.24
  const middle = { x: width / 2, y: height / 2 }
  return layer(
    view,
    0.5,
    circle(middle.x, middle.y, size * 1.55, groundColour(view)),
    placed(drawFigure(view, member, size * 1.8), { ...middle, y: middle.y + size * 0.9 }),
  )
}

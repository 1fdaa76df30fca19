import { darker, lighter, type Colour } from '../places/colour.ts'
import { ellipse, mirrored, path, placed, stroke } from '../places/shapes.ts'
import { drawHead, type AnimalFeatures } from './animal-head.ts'

/**
 * An animal that sits and looks at us, in the box of a subject: tail, body, chest, paws and the head.
 * @param colour of its fur.
 */
export function drawSeated(features: AnimalFeatures, colour: Colour): string {
  const body = features.bodyColour ?? colour
  const legs = darker(body, 0.18)
  const chest = features.cheeks ?? features.muzzle ?? lighter(colour, 0.3)
  return [
    features.tail === false ? '' : drawTail(features, body),
    path('M-26,-30Q-66,30 -56,100L56,100Q66,30 26,-30Z', body),
    path('M-16,-14Q-30,26 0,62Q30,26 16,-14Z', chest),
    mirrored(path('M-58,100Q-64,58 -34,56L-28,100Z', legs) + ellipse(-16, 97, 15, 8, legs)),
    placed(drawHead(features, colour), { x: 0, y: -44, scale: 0.62 }),
  ].join('')
}

function drawTail({ cheeks, tailTip }: AnimalFeatures, colour: Colour): string {
  const bushy = cheeks !== undefined
  const tail = stroke('M30,88Q104,96 96,36Q94,14 78,8', colour, bushy ? 34 : 17)
  return tailTip ? tail + stroke('M95,30Q92,14 78,8', tailTip, bushy ? 30 : 17) : tail
}

import { between, darker, lighter, type Colour } from '../places/colour.ts'
import { path, rect, stroke } from '../places/shapes.ts'
import type { Palette } from '../data/palette-table.ts'
import type { OwnDrawing } from '../words/description.ts'

/** Drawings that the icon set lacks, in a box of -100..100, standing on y = 100. */
export const ownDrawings: Readonly<
  Record<OwnDrawing, { colour: Colour; draw(colour: Colour, palette: Palette): string }>
> = {
  lighthouse: { colour: '#fbf3e6', draw: drawLighthouse },
  balloon: { colour: '#e0533d', draw: drawBalloon },
  paperboat: { colour: '#fdf8ee', draw: drawPaperBoat },
}

/** On a rock that is wider than the box. */
function drawLighthouse(colour: Colour, palette: Palette): string {
  return [
    path('M-190,100Q-120,62 -40,70Q90,60 200,100Z', palette.ink),
    path('M-90,100Q-60,80 0,84Q70,80 130,100Z', lighter(palette.ink, 0.12)),
    path('M-22,-62L22,-62L34,82L-34,82Z', colour),
    path('M-24.500,-30L24.500,-30L28,6L-28,6ZM-30,38L30,38L33,70L-33,70Z', palette.accent),
    rect(-30, -70, 60, 9, palette.ink),
    rect(-16, -94, 32, 25, '#ffe08a'),
    path('M-22,-92L0,-114L22,-92Z', palette.accent),
  ].join('')
}

function drawBalloon(colour: Colour, palette: Palette): string {
  return [
    path('M0,-100C74,-100 84,-18 24,46L-24,46C-84,-18 -74,-100 0,-100Z', colour),
    path(
      'M0,-100C34,-100 38,-18 12,46L-12,46C-38,-18 -34,-100 0,-100Z',
      between(palette.light, colour, 0.12),
    ),
    path('M0,-100C12,-100 14,-18 5,46L-5,46C-14,-18 -12,-100 0,-100Z', colour),
    stroke('M-22,48L-15,74M22,48L15,74', '#231a22', 2.5),
    rect(-17, 72, 34, 26, '#9a6238', { corner: 5 }),
  ].join('')
}

function drawPaperBoat(colour: Colour): string {
  return [
    path('M0,-62L52,40L-52,40Z', colour),
    path('M0,-62L52,40L0,40Z', darker(colour, 0.16)),
    path('M-110,4L-52,40L52,40L110,4L66,92L-66,92Z', darker(colour, 0.06)),
    path('M110,4L52,40L0,56L0,92L66,92Z', darker(colour, 0.26)),
    path('M-52,40L0,56L52,40Z', darker(colour, 0.36)),
  ].join('')
}

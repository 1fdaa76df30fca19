import { darker, lighter } from '../places/colour.ts'
import { mirrored, path, rect, stroke } from '../places/shapes.ts'
import type { Subject, SubjectPen } from './subject.ts'

/** What people live and keep watch in. */
export const BUILDINGS = {
  house: { colour: '#f1e3cf', home: 'hills', onTable: true, draw: drawHouse },
  lighthouse: { colour: '#fbf3e6', home: 'sea', onTable: true, draw: drawLighthouse },
  castle: { colour: '#cdbfb4', home: 'hills', onTable: true, draw: drawCastle },
} satisfies Record<string, Subject>

function drawHouse({ colour, palette }: SubjectPen): string {
  const litWindow =
    rect(-54, 24, 26, 28, '#ffd882', { corner: 3 }) + stroke('M-41,24L-41,52M-54,38L-28,38', colour, 3)
  return [
    rect(34, -70, 18, 50, darker(palette.accent, 0.35)),
    rect(-66, -6, 132, 106, colour),
    rect(20, -6, 46, 106, darker(colour, 0.12)),
    path('M-86,0L0,-78L86,0Z', darker(palette.accent, 0.1)),
    rect(-16, 44, 32, 56, darker(palette.near, 0.1), { corner: 15 }),
    mirrored(litWindow),
  ].join('')
}

/** On a rock that is wider than the box. */
function drawLighthouse({ colour, palette }: SubjectPen): string {
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

function drawCastle({ colour, palette }: SubjectPen): string {
  const sideTower =
    rect(-92, -30, 40, 130, darker(colour, 0.1)) +
    path('M-98,-28L-72,-84L-46,-28Z', palette.accent) +
    rect(-78, 0, 12, 26, palette.ink, { corner: 6 })
  const battlements = 'M-54,10h12v-12h14v12h14v-12h28v12h14v-12h14v12h12v8h-108Z'
  return [
    mirrored(sideTower),
    rect(-54, 10, 108, 90, colour),
    rect(-24, -70, 48, 110, lighter(colour, 0.18)),
    path('M-32,-68L0,-126L32,-68Z', darker(palette.accent, 0.15)),
    path(battlements, darker(colour, 0.06)),
    rect(-17, 52, 34, 48, palette.ink, { corner: 17 }),
    rect(-6, -40, 12, 24, palette.ink, { corner: 6 }),
  ].join('')
}

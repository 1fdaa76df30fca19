import { darker, lighter } from '../places/colour.ts'
import { circle, ellipse, path, placed, stroke } from '../places/shapes.ts'
import { CREAM, type Subject, type SubjectPen } from './subject.ts'

/** What grows. */
export const PLANTS = {
  flower: { colour: '#e8506a', onTable: true, draw: drawFlower },
  mushroom: { colour: '#d8392f', onTable: true, draw: drawMushroom },
  fruit: { colour: '#e2452f', onTable: true, draw: drawFruit },
  cactus: { colour: '#3f8f62', home: 'dunes', onTable: true, draw: drawCactus },
} satisfies Record<string, Subject>

function drawFlower({ colour }: SubjectPen): string {
  const petals = Array.from({ length: 8 }, (_, i) => {
    const petal = ellipse(0, -38, 19, 32, i % 2 ? colour : lighter(colour, 0.16))
    return placed(petal, { x: 0, y: -36, turn: i * 45 })
  })
  return [
    stroke('M0,-10Q10,50 0,100', '#3d8a57', 10),
    path('M2,66Q60,60 74,18Q16,20 2,66Z', '#4a9b62'),
    path('M0,86Q-58,80 -66,40Q-12,44 0,86Z', '#357a50'),
    ...petals,
    circle(0, -36, 23, '#f7c548'),
    circle(0, -36, 14, '#c9792b'),
  ].join('')
}

function drawMushroom({ colour }: SubjectPen): string {
  return [
    path('M-26,10Q-18,60 -34,100L34,100Q18,60 26,10Z', CREAM),
    path('M8,10L26,10Q18,60 34,100L12,100Q2,60 8,10Z', '#e3d3bf'),
    path('M-96,20Q-90,-78 0,-80Q90,-78 96,20Q0,44 -96,20Z', colour),
    path('M-96,20Q0,-4 96,20Q0,44 -96,20Z', darker(colour, 0.35)),
    circle(-40, -24, 16, CREAM),
    circle(10, -48, 13, CREAM),
    circle(48, -14, 17, CREAM),
    circle(-4, -8, 10, CREAM),
  ].join('')
}

function drawFruit({ colour, palette }: SubjectPen): string {
  return [
    ellipse(0, 98, 70, 8, darker(palette.near, 0.2), { opacity: 0.4 }),
    path('M0,-34C46,-70 96,-30 82,32C72,84 34,104 0,92C-34,104 -72,84 -82,32C-96,-30 -46,-70 0,-34Z', colour),
    path('M30,-48C84,-50 92,0 82,32C72,84 34,104 0,92C60,76 74,4 30,-48Z', darker(colour, 0.18)),
    stroke('M0,-34Q2,-60 14,-78', '#5c3a22', 8),
    path('M10,-56Q34,-98 78,-84Q62,-48 10,-56Z', '#5aa35c'),
    ellipse(-42, 0, 10, 20, lighter(colour, 0.45), { turn: 20 }),
  ].join('')
}

function drawCactus({ colour, palette }: SubjectPen): string {
  return [
    stroke('M-52,-10L-52,24Q-52,44 0,44M54,-34L54,0Q54,18 0,18', colour, 26),
    stroke('M0,-66L0,100', colour, 42),
    stroke('M8,-66L8,96M-8,-60L-8,96', darker(colour, 0.2), 3),
    circle(0, -92, 11, palette.accent),
    circle(-52, -28, 8, palette.accent),
  ].join('')
}

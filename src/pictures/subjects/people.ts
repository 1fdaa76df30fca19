import { darker, lighter, type Colour } from '../places/colour.ts'
import { circle, ellipse, mirrored, path, placed, rect, stroke } from '../places/shapes.ts'
import { DARK, type Subject, type SubjectPen } from './subject.ts'

/** Those who look back at us and are no animals. */
export const PEOPLE = {
  person: { colour: '#3b2a3a', onTable: true, draw: drawPerson, drawWhole: drawStandingPerson },
  astronaut: { colour: '#f2f0ee', home: 'space', element: 'sky', onTable: true, draw: drawAstronaut },
  robot: { colour: '#9fb6c4', onTable: true, draw: drawRobot },
} satisfies Record<string, Subject>

const SKINS = ['#f1c7a3', '#c98a5e', '#8d5a3b', '#e3ae86'] as const

/** A bust. The colour is that of the hair; the variant's lowest bits choose the skin, the third long hair. */
function drawPerson({ colour, palette, variant }: SubjectPen): string {
  const skin: Colour = SKINS[variant & 3] ?? SKINS[0]
  const longHair = Boolean(variant & 4)
  const fringe = longHair
    ? 'M-48,-16Q-52,-92 6,-88Q54,-84 48,-16Q40,-52 10,-62Q-26,-58 -48,-16Z'
    : 'M-50,-28Q-58,-98 4,-98Q62,-94 50,-28Q46,-56 18,-60Q-30,-56 -50,-28Z'
  return [
    longHair
      ? path('M-66,-30Q-70,-104 0,-104Q70,-104 66,-30Q74,40 56,66L-56,66Q-74,40 -66,-30Z', colour)
      : '',
    path('M-100,100Q-96,46 -30,38L30,38Q96,46 100,100Z', palette.accent),
    path('M-22,2L22,2L24,40Q0,64 -24,40Z', darker(skin, 0.16)),
    ellipse(0, -26, 45, 55, skin),
    path(fringe, colour),
    mirrored(stroke('M-26,-20Q-18,-15 -11,-20', DARK, 3.5)),
    stroke('M0,-16L-4,0L3,2', darker(skin, 0.3), 3),
    stroke('M-10,14Q0,19 10,14', '#b5463f', 4.5),
    path('M-24,38Q0,64 24,38L38,42Q0,88 -38,42Z', lighter(palette.accent, 0.35)),
  ].join('')
}

/** The same bust on a coat and two boots. */
function drawStandingPerson(pen: SubjectPen): string {
  const coat = pen.palette.accent
  return [
    mirrored(rect(-38, 78, 26, 20, darker(coat, 0.6)) + ellipse(-26, 97, 19, 6, darker(coat, 0.7))),
    path('M-59,14L59,14Q50,52 54,84Q0,92 -54,84Q-50,52 -59,14Z', coat),
    path('M-4,24L4,24L6,88L-6,88Z', darker(coat, 0.16)),
    mirrored(path('M-60,18Q-78,44 -70,66Q-58,70 -52,62L-46,24Z', darker(coat, 0.12))),
    placed(drawPerson(pen), { x: 0, y: -42, scale: 0.62 }),
  ].join('')
}

function drawAstronaut({ colour, palette }: SubjectPen): string {
  return [
    rect(-56, -14, 112, 84, darker(colour, 0.3), { corner: 18 }),
    mirrored(stroke('M-40,6Q-92,20 -84,-26', colour, 27) + stroke('M-20,74L-26,110', colour, 32)),
    rect(-44, -14, 88, 98, colour, { corner: 32 }),
    circle(0, -50, 50, colour),
    ellipse(4, -48, 37, 32, '#1c2947'),
    path('M-20,-62Q0,-80 24,-68Q2,-66 -12,-48Z', '#7cc4e8'),
    rect(-18, 20, 36, 24, darker(colour, 0.14), { corner: 5 }),
    circle(-7, 32, 5, palette.accent),
    circle(8, 32, 5, '#5ac0a0'),
  ].join('')
}

function drawRobot({ colour, palette }: SubjectPen): string {
  const arm = rect(-104, 4, 28, 70, darker(colour, 0.25), { corner: 14 })
  const ear = rect(-82, -46, 14, 34, darker(colour, 0.35), { corner: 5 })
  return [
    stroke('M0,-70L0,-98', darker(colour, 0.4), 6),
    circle(0, -100, 10, palette.accent),
    mirrored(arm + ear),
    rect(-68, -74, 136, 84, colour, { corner: 24 }),
    rect(-52, -56, 104, 48, '#1d2733', { corner: 20 }),
    mirrored(circle(-24, -32, 12, '#8ff3e0')),
    rect(-58, 18, 116, 82, darker(colour, 0.1), { corner: 18 }),
    circle(0, 56, 21, darker(colour, 0.4)),
    circle(0, 56, 12, palette.accent),
  ].join('')
}

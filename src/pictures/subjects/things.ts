import { darker, lighter } from '../places/colour.ts'
import { circle, ellipse, path, stroke } from '../places/shapes.ts'
import { CREAM, DARK, type Subject, type SubjectPen } from './subject.ts'

/** What can be held in the hand. */
export const THINGS = {
  cup: { colour: '#f6efe4', onTable: true, draw: drawCup },
  vase: { colour: '#5c8fa8', onTable: true, draw: drawVase },
  umbrella: { colour: '#d8392f', home: 'city', onTable: true, draw: drawUmbrella },
  heart: { colour: '#d8392f', draw: drawHeart },
  book: { colour: '#3b78c9', onTable: true, draw: drawBook },
} satisfies Record<string, Subject>

function drawCup({ colour, palette }: SubjectPen): string {
  const steam = [-24, 4, 30].map((x, i) =>
    stroke(`M${x},-38q-14,-16 0,-30t0,-${28 + i * 4}`, palette.light, 7, { opacity: 0.75 }),
  )
  return [
    stroke('M54,10Q100,4 90,44Q82,70 44,66', colour, 14),
    path('M-64,-14L64,-14Q62,86 24,94L-24,94Q-62,86 -64,-14Z', colour),
    path('M20,-14L64,-14Q62,86 24,94L0,94Q28,70 20,-14Z', darker(colour, 0.12)),
    ellipse(0, -14, 64, 15, darker(colour, 0.2)),
    ellipse(0, -12, 54, 11, '#5a3423'),
    ellipse(0, 97, 92, 9, darker(colour, 0.28)),
    ...steam,
  ].join('')
}

function drawVase({ colour, palette }: SubjectPen): string {
  const flowers = [-34, 0, 34].map((x, i) =>
    [
      stroke(`M0,0Q${x},-40 ${x * 1.5},-78`, '#4d7d58', 5),
      circle(x * 1.5, -84, i === 1 ? 23 : 18, i === 1 ? palette.sun : palette.accent),
      circle(x * 1.5, -84, 7, palette.light),
    ].join(''),
  )
  return [
    ...flowers,
    path('M-20,-6L20,-6Q16,14 44,34Q62,66 26,100L-26,100Q-62,66 -44,34Q-16,14 -20,-6Z', colour),
    path('M6,-6L20,-6Q16,14 44,34Q62,66 26,100L8,100Q40,66 20,34Q2,14 6,-6Z', darker(colour, 0.18)),
    stroke('M-44,50Q0,62 44,50', palette.light, 6),
  ].join('')
}

function drawUmbrella({ colour }: SubjectPen): string {
  const canopy =
    'M-100,4Q-90,-84 0,-88Q90,-84 100,4Q84,-12 66,4Q50,-12 33,4Q16,-12 0,4' +
    'Q-16,-12 -33,4Q-50,-12 -66,4Q-84,-12 -100,4Z'
  return [
    stroke('M0,-20L0,76Q0,98 -18,96', DARK, 6),
    path(canopy, colour),
    path('M-33,4Q-30,-66 0,-88Q30,-66 33,4Q16,-12 0,4Q-16,-12 -33,4Z', lighter(colour, 0.22)),
    stroke('M0,-88L0,-102', DARK, 6),
  ].join('')
}

function drawHeart({ colour }: SubjectPen): string {
  return [
    path(
      'M0,92Q-100,20 -96,-30Q-88,-86 -40,-80Q-10,-76 0,-44Q10,-76 40,-80Q88,-86 96,-30Q100,20 0,92Z',
      colour,
    ),
    path('M40,-80Q88,-86 96,-30Q100,20 0,92Q70,10 40,-80Z', darker(colour, 0.16)),
  ].join('')
}

function drawBook({ colour }: SubjectPen): string {
  const lines = [0, 20, 40, 60].map((y) => {
    const left = `M-76,${y - 26}Q-44,${y - 30} -16,${y - 10}`
    const right = `M76,${y - 26}Q44,${y - 30} 16,${y - 10}`
    return stroke(left + right, '#b9a68c', 4)
  })
  return [
    path('M-104,-34L0,-14L104,-34L104,74L0,96L-104,74Z', colour),
    path('M-92,-48Q-40,-56 0,-24L0,84Q-40,56 -92,62Z', CREAM),
    path('M92,-48Q40,-56 0,-24L0,84Q40,56 92,62Z', '#ecdfcb'),
    ...lines,
  ].join('')
}

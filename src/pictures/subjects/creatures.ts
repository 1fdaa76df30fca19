import { between, darker } from '../places/colour.ts'
import { circle, ellipse, mirrored, path, ring, stroke } from '../places/shapes.ts'
import { CREAM, DARK, type Subject, type SubjectPen } from './subject.ts'

/** Animals that don't share the head of the others. */
export const CREATURES = {
  bird: { colour: '#3b78c9', draw: drawBird },
  whale: { colour: '#3a6ea5', home: 'sea', element: 'water', draw: drawWhale },
  fish: { colour: '#ee7f2d', element: 'water', draw: drawFish },
  butterfly: { colour: '#ee7f2d', element: 'sky', draw: drawButterfly },
  penguin: { colour: '#2a3346', onTable: true, draw: drawPenguin },
  turtle: { colour: '#4c9a6a', onTable: true, draw: drawTurtle },
} satisfies Record<string, Subject>

function drawBird({ colour, palette }: SubjectPen): string {
  return [
    path('M-104,34L-36,16L-44,50Z', darker(colour, 0.3)),
    path('M-60,36Q-40,-20 16,-30Q30,-74 64,-66Q94,-56 82,-22Q80,58 6,66Q-40,66 -60,36Z', colour),
    path('M80,-22Q78,56 10,66Q40,40 46,0Z', between(colour, palette.light, 0.75)),
    path('M-56,34Q-10,-8 30,0Q26,46 -20,50Q-44,50 -56,34Z', darker(colour, 0.22)),
    path('M84,-50L114,-38L84,-30Z', '#f0a23a'),
    circle(64, -44, 7, DARK),
    circle(66, -47, 2, '#ffffff'),
    stroke('M4,66L0,98M24,62L26,98', '#c97a2c', 5),
  ].join('')
}

function drawWhale({ colour }: SubjectPen): string {
  const body =
    'M-96,-34Q-122,-66 -84,-70Q-74,-58 -72,-44Q-58,-66 -34,-56Q-38,-24 -72,-16' +
    'Q-62,22 -30,24Q10,-34 66,-14Q104,4 98,44Q92,90 20,88Q-92,84 -96,-34Z'
  return [
    path(body, colour),
    path('M98,44Q92,90 20,88Q-40,86 -70,44Q10,72 98,44Z', between(colour, '#f4f7f8', 0.8)),
    circle(70, 26, 6, DARK),
    stroke('M26,-32Q24,-70 4,-78M26,-32Q30,-70 52,-76M26,-34L28,-92', '#eaf6fb', 7),
    path('M22,62Q10,98 -16,104Q-10,76 0,60Z', darker(colour, 0.25)),
  ].join('')
}

function drawFish({ colour, palette }: SubjectPen): string {
  const bubbles = [0, 1, 2].map((i) => ring(118 + i * 10, -20 - i * 30, 6 + i * 2, palette.light, 3))
  return [
    path('M-50,10L-112,-44Q-92,10 -112,64Z', darker(colour, 0.15)),
    path('M-20,-34Q10,-84 50,-50L40,-24Z', darker(colour, 0.25)),
    path('M-66,10Q0,-72 72,-24Q98,-6 102,12Q94,40 60,56Q0,84 -66,10Z', colour),
    path('M34,-40Q22,10 38,64Q50,62 60,56Q42,10 56,-33Z', CREAM),
    path('M-12,-34Q-24,10 -8,58L8,62Q-8,10 6,-40Z', CREAM),
    circle(76, 2, 10, CREAM),
    circle(78, 2, 6, DARK),
    ...bubbles,
  ].join('')
}

function drawButterfly({ colour, palette }: SubjectPen): string {
  const wings = [
    path('M-6,-10Q-60,-104 -104,-66Q-112,0 -8,14Z', colour),
    path('M-8,10Q-90,12 -76,70Q-40,100 -6,34Z', darker(colour, 0.2)),
    circle(-70, -42, 15, palette.light),
    circle(-50, 48, 11, palette.light),
    stroke('M-4,-40Q-14,-70 -34,-80', DARK, 4),
  ]
  return mirrored(wings.join('')) + ellipse(0, 8, 8, 52, DARK)
}

function drawPenguin({ colour }: SubjectPen): string {
  const wing = path('M-56,-20Q-98,30 -84,66Q-66,60 -52,36Z', darker(colour, 0.2))
  const foot = ellipse(-24, 96, 26, 9, '#f0a23a')
  return [
    mirrored(wing + foot),
    path(
      'M0,-104Q50,-104 52,-50Q70,10 62,60Q50,98 0,98Q-50,98 -62,60Q-70,10 -52,-50Q-50,-104 0,-104Z',
      colour,
    ),
    path('M0,-60Q24,-84 40,-52Q52,10 44,56Q34,88 0,88Q-34,88 -44,56Q-52,10 -40,-52Q-24,-84 0,-60Z', CREAM),
    mirrored(circle(-20, -52, 7, DARK)),
    path('M-13,-38L13,-38L0,-18Z', '#f0a23a'),
  ].join('')
}

function drawTurtle({ colour }: SubjectPen): string {
  const plates = 'M-38,-22L-54,22L-80,36Q-74,-14 -38,-22ZM-50,34L-8,58L-10,70L-82,70L-80,48Z'
  return [
    mirrored(path('M-60,70L-78,100L-42,100L-34,74Z', colour)),
    path('M70,60Q120,60 116,16Q108,-10 82,8L64,56Z', colour),
    path('M-92,74Q-84,-54 0,-56Q84,-54 92,74Z', darker(colour, 0.4)),
    path('M-30,-16L30,-16L44,24L0,48L-44,24Z', darker(colour, 0.12)),
    mirrored(path(plates, darker(colour, 0.12))),
    circle(98, 18, 6, DARK),
  ].join('')
}

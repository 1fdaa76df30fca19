import { between, darker, type Colour } from '../places/colour.ts'
import { circle, mirrored, path, rect, ring, stroke } from '../places/shapes.ts'
import { CREAM, DARK, type Subject, type SubjectPen } from './subject.ts'

/** What carries people. */
export const VEHICLES = {
  sailboat: { colour: '#fff4e6', home: 'sea', element: 'water', onTable: true, draw: drawSailboat },
  paperboat: { colour: '#fdf8ee', home: 'sea', element: 'water', onTable: true, draw: drawPaperBoat },
  balloon: { colour: '#e0533d', home: 'hills', element: 'sky', onTable: true, draw: drawBalloon },
  rocket: { colour: '#f4f1ec', home: 'space', element: 'sky', onTable: true, draw: drawRocket },
  car: { colour: '#d8392f', home: 'city', onTable: true, draw: drawCar },
  bicycle: { colour: '#d8392f', onTable: true, draw: drawBicycle },
} satisfies Record<string, Subject>

function drawSailboat({ colour, palette }: SubjectPen): string {
  return [
    stroke('M0,62L0,-98', DARK, 5),
    path('M6,-92Q76,-20 78,48L6,48Z', colour),
    path('M-6,-70Q-50,-10 -62,48L-6,48Z', between(colour, CREAM, 0.72)),
    path('M-84,60L88,60Q70,100 44,100L-48,100Q-72,94 -84,60Z', darker(palette.accent, 0.45)),
    rect(-80, 60, 164, 8, CREAM),
  ].join('')
}

function drawPaperBoat({ colour }: SubjectPen): string {
  return [
    path('M0,-62L52,40L-52,40Z', colour),
    path('M0,-62L52,40L0,40Z', darker(colour, 0.16)),
    path('M-110,4L-52,40L52,40L110,4L66,92L-66,92Z', darker(colour, 0.06)),
    path('M110,4L52,40L0,56L0,92L66,92Z', darker(colour, 0.26)),
    path('M-52,40L0,56L52,40Z', darker(colour, 0.36)),
  ].join('')
}

function drawBalloon({ colour, palette }: SubjectPen): string {
  return [
    path('M0,-100C74,-100 84,-18 24,46L-24,46C-84,-18 -74,-100 0,-100Z', colour),
    path(
      'M0,-100C34,-100 38,-18 12,46L-12,46C-38,-18 -34,-100 0,-100Z',
      between(palette.light, colour, 0.12),
    ),
    path('M0,-100C12,-100 14,-18 5,46L-5,46C-14,-18 -12,-100 0,-100Z', colour),
    stroke('M-22,48L-15,74M22,48L15,74', DARK, 2.5),
    rect(-17, 72, 34, 26, '#9a6238', { corner: 5 }),
  ].join('')
}

function drawRocket({ colour, palette }: SubjectPen): string {
  return [
    path('M-16,78Q0,148 16,78Z', '#ffb13d'),
    path('M-8,78Q0,112 8,78Z', '#fff0b8'),
    mirrored(path('M-30,20Q-66,48 -60,92L-26,70Z', palette.accent)),
    path('M0,-110Q52,-50 32,76L-32,76Q-52,-50 0,-110Z', colour),
    path('M0,-110Q52,-50 32,76L4,76Q26,-40 0,-110Z', darker(colour, 0.16)),
    path('M0,-110Q26,-82 33,-50L-33,-50Q-26,-82 0,-110Z', palette.accent),
    circle(0, -12, 19, darker(palette.far, 0.3)),
    circle(0, -12, 13, '#bfe8ff'),
  ].join('')
}

function drawCar({ colour }: SubjectPen): string {
  const glass = 'M-40,30Q-32,-4 -12,-4L2,-4L2,30ZM12,-4L24,-4Q40,-2 50,30L12,30Z'
  return [
    path('M-56,32Q-42,-16 -16,-16L26,-16Q52,-14 66,32Z', darker(colour, 0.2)),
    path(glass, '#cfeaf2'),
    path('M-104,76L-104,46Q-98,30 -60,28L66,28Q100,32 106,54L106,76Z', colour),
    rect(-104, 66, 210, 12, darker(colour, 0.3)),
    drawWheel(-56),
    drawWheel(60),
    circle(98, 50, 7, '#ffe9a0'),
  ].join('')
}

function drawWheel(x: number): string {
  return circle(x, 78, 23, DARK) + circle(x, 78, 10, '#d9d4cc')
}

function drawBicycle({ colour }: SubjectPen): string {
  return [
    drawSpokelessWheel(-62, DARK),
    drawSpokelessWheel(62, DARK),
    stroke('M-62,52L-28,-22L40,-22L4,52L-62,52M4,52L-34,-40M62,52L34,-46L58,-56', colour, 9),
    stroke('M-50,-42L-18,-42', DARK, 11),
  ].join('')
}

function drawSpokelessWheel(x: number, colour: Colour): string {
  return ring(x, 52, 44, colour, 8) + circle(x, 52, 6, colour)
}

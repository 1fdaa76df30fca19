import fc from 'fast-check'
import { expect, it } from 'vitest'
import { captionSvg, captionText, timecodeSvg } from '../../src/pictures/caption/caption.ts'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { columnsOf, drawable, fitText } from '../../src/pictures/caption/glyphs.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { rasterised } from './pixels.ts'
import { codePoint } from '../support/arbitraries.ts'

const frame = { width: 640, height: 360 }
const details = { model: 'sora-2', taskId: 'task_0123456789abcdef' }

it.each([
  ['naïve cafe\u0301 – Größe, łódź, İğ', 'naïve café – Größe, łódź, İğ'],
  ['Η αλεπού στο δάσος', 'Η αλεπού στο δάσος'],
  ['съешь ещё этих булок', 'съешь ещё этих булок'],
  ['一只橘猫在窗边看雨', '一只橘猫在窗边看雨'],
  ['桜の木の下のネコ', '桜の木の下のネコ'],
])('%s has a glyph for each character', (text, drawn) => {
  expect(drawable(text)).toBe(drawn)
})

it.each([
  ['سيارة حمراء', "syarh hmra'"],
  ['एक हाथी', 'ek hathi'],
  ['빨간 자동차', 'ppalgan jadongcha'],
  ['כלב', 'khlv'],
  ['tiếng Việt', 'tieng Viet'],
  ['癌', 'ai'],
])('%s is spelled in Latin letters: %s', (text, drawn) => {
  expect(drawable(text)).toBe(drawn)
})

it('a character of Chinese takes two columns', () => {
  expect(columnsOf(drawable('雨夜 ab'))).toBe(7)
  expect(fitText(drawable('雨夜的城市'), 7)).toBe('雨夜的…')
})

it('white space and control characters become single spaces', () => {
  expect(drawable(' a\t\tb\u0000\u001bc\n ')).toBe('a b c')
})

it('texts in Chinese, Arabic or emoji stay different', () => {
  const texts = ['雨夜的城市', '雪山上的狐狸', 'غروب الشمس', '🦊🌲', '🦊🌊'].map(drawable)
  expect(new Set(texts).size).toBe(5)
  for (const text of texts) expect(text.length).toBeLessThan(16)
})

it('captions of two Chinese prompts differ', () => {
  const [a, b] = ['雨夜的城市', '雪山上的狐狸'].map((prompt) => captionText({ prompt, ...details, ...frame }))
  expect(a).not.toEqual(b)
})

it('a text that does not fit ends with an ellipsis', () => {
  expect(fitText('a long prompt', 8)).toBe('a long…')
  expect(fitText('short', 8)).toBe('short')
})

it('only the first line of a prompt is drawn', () => {
  const one = captionText({ prompt: 'a fox', ...details, ...frame })
  expect(captionText({ prompt: '\n a fox\nand a hare', ...details, ...frame })).toEqual(one)
})

it('each frame of a clip has its own time code', () => {
  const codes = Array.from({ length: 24 }, (_, i) => timecodeSvg({ timeMs: (i * 1000) / 24, ...frame }))
  expect(new Set(codes).size).toBe(24)
})

it('any prompt gives outlines only', () => {
  const shapes = /<(rect|path)( [a-z-]+="[^"<>&]*")*\/>/g
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 400 }), (prompt) => {
      expect(captionSvg({ prompt, ...details, timeMs: 0, ...frame }).replace(shapes, '')).toBe('')
    }),
  )
})

it('a megabyte of prompt costs no more than a line', () => {
  const caption = captionText({ prompt: '漢字 <b> '.repeat(200_000), ...details, ...frame })
  expect(caption?.svg.length).toBeLessThan(60_000)
})

it.each([
  [640, 360],
  [1920, 1080],
  [360, 640],
])('light text lies on a dark band at the bottom of %d x %d', async (width, height) => {
  const overlay = captionSvg({ prompt: 'a cottage in the snow', ...details, timeMs: 0, width, height })
  const scene = sceneOf({ prompt: 'a cottage in the snow', seed: '1', width, height })
  const picture = await rasterised(sceneSvg(scene, { overlay }))
  const row = Array.from({ length: width }, (_, x) => picture.at(x, height - 2)[0])
  expect(Math.max(...row)).toBeLessThan(160)
  const lightest = picture.bytes
    .subarray(-width * 3 * Math.round(height * 0.08))
    .reduce((most, value) => Math.max(most, value), 0)
  expect(lightest).toBeGreaterThan(225)
})

it('both lines of a caption have contrast on snow', async () => {
  const [width, height] = [640, 360]
  const overlay = captionSvg({ prompt: 'snow', ...details, timeMs: 0, width, height })
  const white = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="640" height="360" fill="#ffffff"/>${overlay}</svg>`
  const picture = await rasterised(white)
  const light = (value: number): number => ((value / 255 + 0.055) / 1.055) ** 2.4
  const rows = Array.from({ length: 44 }, (_, row) => height - 2 - row)
  const band = picture.at(width - 1, height - 1)[0]
  for (const [from, to] of [
    [0, 20],
    [24, 44],
  ]) {
    const lines = rows
      .slice(from, to)
      .flatMap((y) => Array.from({ length: 90 }, (_, x) => picture.at(x, y)[0]))
    expect((light(Math.max(...lines)) + 0.05) / (light(band) + 0.05)).toBeGreaterThan(4.5)
  }
})

it('a frame too small for text has no caption', () => {
  expect(captionSvg({ prompt: 'a fox', ...details, timeMs: 0, width: 64, height: 64 })).toBe('')
})

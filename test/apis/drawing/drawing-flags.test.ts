import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFlags } from '../../../src/apis/drawing/flags.ts'
import { frameOf } from '../../../src/apis/drawing/composition.ts'

it('splits a prompt into URLs, words and flags', () => {
  const prompt =
    'https://a.example/1.png https://b.example/2.jpg a red fox, at dawn --ar 16:9 --v 6.1 --seed 7 --no birds, trees --s 250 --c 10 --q 2 --tile --iw 1.5'
  expect(readFlags(prompt)).toEqual({
    text: 'a red fox, at dawn',
    images: ['https://a.example/1.png', 'https://b.example/2.jpg'],
    flags: {
      ratio: 16 / 9,
      version: '6.1',
      seed: 7,
      without: ['birds', 'trees'],
      chaos: 10,
      tile: true,
      imageWeight: 1.5,
    },
  })
})

it.each([
  ['a fox --niji 6', { version: 'niji 6' }],
  ['a fox --niji', { version: 'niji 7' }],
  ['a fox —ar 3:2', { ratio: 1.5 }],
  ['a fox --aspect 2:3', { ratio: 2 / 3 }],
  ['a fox --turbo', { mode: 'turbo' }],
  ['a fox --V 5.2', { version: '5.2' }],
  ['a fox --motion high --loop --bs 2', {}],
  ['a well-known fox - really', {}],
  ['a fox --iw .5', { imageWeight: 0.5 }],
])('reads the flags of "%s"', (prompt, flags) => {
  expect(readFlags(prompt)).toMatchObject({ flags })
  expect(readFlags(prompt).problem).toBeUndefined()
})

it.each([
  ['--ar 16', 'Invalid value provided for argument --ar: "16"'],
  ['--ar 99:1', 'Invalid value provided for argument --ar: "99:1"'],
  ['--seed -1', 'Invalid value provided for argument --seed: "-1"'],
  ['--seed 4294967296', 'Invalid value provided for argument --seed: "4294967296"'],
  ['--v 12', 'Invalid value provided for argument --v: "12"'],
  ['--s', 'Invalid value provided for argument --s: ""'],
  ['--tile please', 'Invalid value provided for argument --tile: "please"'],
  ['--iw 4', 'Invalid value provided for argument --iw: "4"'],
  ['--constructor 1', 'Unrecognized argument(s): --constructor'],
  ['--foo --ar x', 'Unrecognized argument(s): --foo; Invalid value provided for argument --ar: "x"'],
])('says what is wrong with "%s"', (flags, problem) => {
  expect(readFlags(`a fox ${flags}`).problem).toBe(`[Invalid parameter] ${problem}`)
})

it('reads any prompt without an error, and loses none of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (prompt) => {
      const { text, images } = readFlags(prompt)
      expect(text.length).toBeLessThanOrEqual(prompt.length + 1)
      expect(images.length).toBeLessThanOrEqual(10)
    }),
  )
})

it.each([' ', ' --a', '--', ' — ', 'https://x ', '::1 ', ',', '[[code ', '[[', '\n'])(
  'reads a quarter of a million times %j in a time that grows with the text only',
  (unit) => {
    const prompt = `a${unit.repeat(250_000)}z`
    expect(readFlags(prompt).images.length).toBeLessThanOrEqual(10)
    expect(readFlags(prompt).problem?.length ?? 0).toBeLessThan(1_000)
  },
  30_000,
)

it('gives every ratio a frame of about a megapixel, its sides multiples of 8 and at most 2048', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 14 }), (across, down) => {
      const { width, height } = frameOf(across / down)
      expect([width % 8, height % 8]).toEqual([0, 0])
      expect(Math.max(width, height)).toBeLessThanOrEqual(2048)
      expect(Math.abs(Math.log(width / height / (across / down)))).toBeLessThan(0.07)
      if (across / down < 4 && down / across < 4) expect(width * height).toBeGreaterThan(1_000_000)
    }),
  )
  expect(frameOf(1)).toEqual({ width: 1024, height: 1024 })
})

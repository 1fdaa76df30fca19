import fc from 'fast-check'
import { expect, it } from 'vitest'
import { COLOUR_WORDS } from '../../src/pictures/data/meanings.ts'
import type { Scene } from '../../src/pictures/words/description.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import { createView } from '../../src/pictures/places/view.ts'
import { codePoint } from '../support/arbitraries.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

function scene(prompt: string, options: { model?: string; seed?: string } = {}): Scene {
  return sceneOf({ prompt, width: 640, height: 360, ...options })
}

it('the same prompt, model and seed give the same scene', () => {
  const options = { model: 'sora-2', seed: 'task_1' }
  expect(scene('a fox in a forest', options)).toEqual(scene('a fox in a forest', options))
})

it('prompt, model and seed each change the scene', () => {
  const seeds = [
    scene('a fox'),
    scene('a fax'),
    scene('a fox', { model: 'veo3' }),
    scene('a fox', { seed: '2' }),
  ].map(({ seed }) => seed)
  expect(new Set(seeds).size).toBe(4)
})

it('a scene survives JSON', () => {
  const original = scene('red fox in the snow at night')
  expect(JSON.parse(JSON.stringify(original))).toEqual(original)
})

const namesIn = (prompt: string): (string | undefined)[] =>
  scene(prompt).cast?.map(({ icon, letters }) => icon ?? letters) ?? []

it.each([
  ['two kittens', ['cat']],
  ['foxes at play', ['fox']],
  ['a pack of wolves', ['wolf']],
  ['butterflies', ['butterfly']],
  ['a yacht', ['sailboat']],
  ['paper boat', ['paper-boat']],
  ['portrait of a wolf', ['wolf']],
  ['an ORANGE', ['tangerine']],
  ['an orange dress', ['dress']],
  ['orange sky over hills', []],
  ['a cup of coffee', ['hot-beverage']],
  ['a cat wizard', ['cat', 'person-mage']],
  ['a dog, a cat, a horse and a cow', ['dog', 'cat', 'horse']],
  ['一只猫头鹰', ['owl']],
  ['une tasse de café', ['hot-beverage']],
])('%s shows %j', (prompt, names) => {
  expect(namesIn(prompt)).toEqual(names)
})

it.each([
  ['a gazebo', 'gazebo'],
  ['a blue xylophone stand', 'xylophone stand'],
  ['a sign that says "OPEN LATE"', 'OPEN LATE'],
  ['letter G monogram', 'G'],
])('%s is written in letters: %s', (prompt, letters) => {
  expect(scene(prompt)).toMatchObject({ family: 'emblem', cast: [{ letters }] })
})

it.each([
  ['three red cats', { count: 3, colour: COLOUR_WORDS.red }],
  ['tiny mouse and a giant cat', { icon: 'mouse', scale: 0.6 }],
  ['a woman with blue hair', { hair: '#3b78c9' }],
  ['an old man', { icon: 'old-man', hair: '#dcdbe2' }],
  ['a cat on a chair', { icon: 'cat', at: 'on', on: 'chair' }],
  ['a dragon over a castle', { icon: 'dragon', at: 'above' }],
])('%s: the first subject is %j', (prompt, member) => {
  expect(scene(prompt).cast?.[0]).toMatchObject(member)
})

it('a colour right before the subject is its own', () => {
  const { cast, tint } = scene('a red fox by a teal lake')
  expect(cast?.[0]).toMatchObject({ icon: 'fox', colour: COLOUR_WORDS.red })
  expect(tint).toBe(COLOUR_WORDS.teal)
})

it('a colour elsewhere tints the picture', () => {
  const { cast, tint } = scene('a fox, everything in purple')
  expect(cast?.[0]).not.toHaveProperty('colour')
  expect(tint).toBe(COLOUR_WORDS.purple)
})

it.each([
  ['a deer in a misty forest at dawn', { family: 'forest', weather: 'fog', time: 'dawn' }],
  ['rainy street in tokyo', { family: 'city', weather: 'rain' }],
  ['a yellow taxi in new york', { family: 'city', cast: [{ icon: 'taxi' }] }],
  ['a boat', { family: 'sea' }],
  ['astronaut', { family: 'space' }],
  ['close-up of a tiger in the jungle', { family: 'emblem', cast: [{ icon: 'tiger-face' }] }],
  ['bauhaus poster', { family: 'abstract' }],
  ['雨夜的城市', { family: 'city', weather: 'rain', time: 'night' }],
])('%s is understood', (prompt, expected) => {
  expect(scene(prompt)).toMatchObject(expected)
})

it('a day in the city is not green unless the prompt says so', () => {
  const seeds = Array.from({ length: 40 }, (_, i) => String(i))
  const palettes = seeds.map((seed) => scene('yellow taxi in new york', { seed }).palettes[0])
  expect(palettes).not.toContain('meadow')
  expect(palettes).not.toContain('pine')
})

it('words that are names in JavaScript are only words', () => {
  for (const prompt of ['constructor', '__proto__ toString', 'hasOwnProperty valueOf']) {
    expect(scene(prompt).cast?.every(({ icon }) => icon === undefined)).toBe(true)
  }
})

it('any text gives a whole scene', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 300 }), fc.string(), (prompt, seed) => {
      const { palettes, genes } = scene(prompt, { seed })
      expect(palettes).toHaveLength(4)
      for (const gene of Object.values(genes)) expect(gene).toBeGreaterThanOrEqual(0)
    }),
  )
})

it('a prompt of a megabyte is read in bounded time and shortened', () => {
  const elapsedMs = startProcessorTimer()
  const long = scene('a fox jumps over the lazy dog '.repeat(35_000))
  expect(elapsedMs()).toBeLessThan(2000)
  expect(JSON.stringify(long).length).toBeLessThan(4000)
  expect(long.cast?.[0]?.icon).toBe('fox')
})

it('all of a long prompt counts', () => {
  const long = 'word '.repeat(100_000)
  expect(scene(`${long}a`).seed).not.toBe(scene(`${long}b`).seed)
})

it('hides what a prompt excludes', () => {
  expect(scene('a meadow, no trees or clouds').hidden).toEqual(['clouds', 'trees'])
  expect(scene('a meadow without any birds').hidden).toEqual(['birds'])
  expect(scene('a meadow').hidden).toBeUndefined()
})

it('lets a whale fly above the clouds, and nowhere else', () => {
  expect(scene('a whale above the clouds')).toMatchObject({
    family: 'hills',
    cast: [{ icon: 'whale', at: 'above' }],
  })
  expect(scene('a whale').family).toBe('underwater')
  expect(scene('a whale in the sea under a cloudy sky').cast![0]).not.toHaveProperty('at')
})

it.each(['a crescent moon over the hills', 'a fox under a crescent moon'])(
  'draws no second moon in the sky: %s',
  (prompt) => {
    expect(createView(scene(prompt), { time: 0, fast: false }).isSunny).toBe(false)
  },
)

it('shows no fencer for a knight', () => {
  expect(namesIn('a knight')).not.toContain('person-fencing')
  expect(namesIn('three knights')).not.toContain('person-fencing')
  expect(namesIn('a fencer')).toEqual(['person-fencing'])
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SUBJECT_NAMES } from '../../src/pictures/composition/cast.ts'
import { COLOUR_WORDS } from '../../src/pictures/words/lexicon.ts'
import type { Scene } from '../../src/pictures/words/description.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'

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

it.each(SUBJECT_NAMES)('a %s is the subject of its prompt', (name) => {
  expect(scene(`a quick picture of one ${name}`).subject).toBe(name)
})

it.each([
  ['two kittens', 'cat'],
  ['foxes at play', 'fox'],
  ['a pack of wolves', 'wolf'],
  ['butterflies', 'butterfly'],
  ['a yacht', 'sailboat'],
  ['paper boat', 'paperboat'],
  ['portrait of a wolf', 'wolf'],
  ['a portrait', 'person'],
  ['an ORANGE', 'fruit'],
  ['orange sky', undefined],
  ['一只猫头鹰', 'owl'],
])('%s shows: %s', (prompt, subject) => {
  expect(scene(prompt).subject).toBe(subject)
})

it('a colour right before the subject is its own', () => {
  const { subjectColour, tint } = scene('a red fox by a teal lake')
  expect(subjectColour).toBe(COLOUR_WORDS.red)
  expect(tint).toBe(COLOUR_WORDS.teal)
})

it('a colour elsewhere tints the picture', () => {
  const { subject, subjectColour, tint } = scene('a fox, everything in purple')
  expect(subject).toBe('fox')
  expect(subjectColour).toBeUndefined()
  expect(tint).toBe(COLOUR_WORDS.purple)
})

it.each([
  ['a deer in a misty forest at dawn', { family: 'forest', weather: 'fog', time: 'dawn' }],
  ['rainy street in tokyo', { family: 'city', weather: 'rain' }],
  ['a yellow taxi in new york', { family: 'city', subject: 'car' }],
  ['a boat', { family: 'sea' }],
  ['astronaut', { family: 'space' }],
  ['close-up of a tiger in the jungle', { family: 'emblem', subject: 'tiger' }],
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
    expect(scene(prompt).subject).toBeUndefined()
  }
})

it('any text gives a whole scene', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), (prompt, seed) => {
      const { palettes, genes } = scene(prompt, { seed })
      expect(palettes).toHaveLength(4)
      for (const gene of Object.values(genes)) expect(gene).toBeGreaterThanOrEqual(0)
    }),
  )
})

it('a prompt of a megabyte is read in bounded time and shortened', () => {
  const start = performance.now()
  const long = scene('a fox jumps over the lazy dog '.repeat(35_000))
  expect(performance.now() - start).toBeLessThan(2000)
  expect(JSON.stringify(long).length).toBeLessThan(4000)
  expect(long.subject).toBe('fox')
})

it('all of a long prompt counts', () => {
  const long = 'word '.repeat(100_000)
  expect(scene(`${long}a`).seed).not.toBe(scene(`${long}b`).seed)
})

import { expect, it } from 'vitest'
import { COLOUR_WORDS } from '../../src/pictures/data/meanings.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import type { Scene } from '../../src/pictures/words/description.ts'

const scene = (prompt: string): Scene => sceneOf({ prompt, seed: '1', width: 640, height: 640 })

it.each([
  ['portrait of a man', { icon: 'man' }],
  ['portrait of a woman with red hair', { icon: 'woman', hair: '#b5482a' }],
  ['a man in the park', { icon: expect.stringMatching(/^man-(?:standing|walking)$/) }],
  ['a woman running in the park', { icon: 'woman-running' }],
  ['a girl in the park', { icon: expect.stringMatching(/^woman-/), scale: expect.closeTo(0.75) }],
  ['an old man with a white beard', { icon: 'man-beard', hair: '#ece9ee' }],
  ['an old woman', { icon: 'old-woman', hair: '#dcdbe2' }],
  ['portrait of a black woman', { icon: 'woman', tone: 4 }],
  ['portrait of an asian man', { icon: 'man', tone: 1 }],
  ['portrait of a pale girl', { icon: 'girl', tone: 0 }],
  ['a king', { icon: 'person-with-crown' }],
  ['a wizard', { icon: 'person-mage' }],
  ['a doctor', { icon: 'health-worker' }],
  ['a woman in a green dress', { icon: 'woman-dancing', colour: COLOUR_WORDS.green }],
  ['a man in a blue suit', { colour: COLOUR_WORDS.blue }],
  ['a family in the park', { count: 3 }],
  ['two children building a sandcastle', { count: 2 }],
])('%s shows the person %j', (prompt, member) => {
  expect(scene(prompt).cast?.[0]).toMatchObject(member)
})

it('gives people all tones of skin where the prompt leaves it open, light ones more often', () => {
  const tones = Array.from({ length: 100 }, (_, seed) => {
    const { cast } = sceneOf({ prompt: 'portrait of a man', seed: String(seed), width: 64, height: 64 })
    return cast![0]!.tone
  })
  expect(new Set(tones).size).toBe(5)
  expect(tones.filter((tone) => tone === 4).length).toBeLessThan(25)
})

it.each([
  ['a corgi wearing sunglasses', ['dog-face', { icon: 'sunglasses', at: 'worn', on: 'dog-face' }]],
  [
    'a man with sunglasses and a hat',
    ['man', { icon: 'sunglasses', at: 'worn', on: 'man' }, { icon: 'womans-hat', at: 'worn', on: 'man' }],
  ],
  ['a cat with a hat', ['cat-face', { icon: 'womans-hat', at: 'worn', on: 'cat-face' }]],
  ['a hamburger with wings', ['hamburger', { icon: 'wings', at: 'worn', on: 'hamburger' }]],
  ['a king sitting on a throne', ['person-with-crown', { icon: 'throne' }]],
  ['a bowl of fresh strawberries', ['bowl', { icon: 'strawberry', at: 'in', on: 'bowl' }]],
])('%s puts one on or into the other', (prompt, [first, ...others]) => {
  expect(scene(prompt).cast).toMatchObject([{ icon: first }, ...(others as object[])])
})

it.each([
  ['astronaut riding a horse on the moon', 'horse'],
  ['a cat riding a bicycle', 'bicycle'],
  ['a polar bear on an iceberg', 'iceberg'],
  ['a train crossing a bridge', 'bridge'],
])('%s puts the first upon the second', (prompt, on) => {
  expect(scene(prompt).cast?.[0]).toMatchObject({ at: 'on', on })
})

it.each([
  ['a bouquet of sunflowers in a vase', { icon: 'sunflower', count: 3, at: 'in' }],
  ['a cute baby penguin', { icon: 'penguin', scale: expect.closeTo(0.8) }],
  ['a dragon made of ice', { icon: 'dragon', colour: COLOUR_WORDS.blue }],
  ['a slice of chocolate cake', { icon: 'birthday-cake', colour: COLOUR_WORDS.brown }],
  ['an elephant family', { icon: 'elephant', count: 3 }],
  ['a flying pig', { icon: 'pig', at: 'above' }],
  ['minimalist logo of a mountain', { icon: 'mountain' }],
])('%s shows %j', (prompt, member) => {
  expect(scene(prompt).cast?.[0]).toMatchObject(member)
})

it('two glasses with a bottle of wine are not spectacles', () => {
  const icons = scene('a bottle of red wine and two glasses').cast?.map(({ icon }) => icon)
  expect(icons).toEqual(['bottle-with-popping-cork', 'wine-glass', 'clinking-glasses'])
})

it.each([
  ['zh', '两只白猫', { icon: 'cat', count: 2, colour: COLOUR_WORDS.white }],
  ['zh', '海上的海盗船', { icon: 'pirate-ship' }],
])('reads nouns, colours and counts of %s: %s', (_, prompt, member) => {
  expect(scene(prompt).cast?.[0]).toMatchObject(member)
})

it.each([
  ['two glasses of lemonade', [{ icon: 'tumbler-glass', count: 2 }]],
  ['a turtle with a village on its shell', [{ icon: 'turtle' }]],
  ['a viking ship', [{ icon: 'pirate-ship' }]],
  ['a camel in a salt desert', [{ icon: 'camel' }]],
  ['a potter at the wheel', [{ icon: 'man' }, { icon: 'amphora' }]],
  ['熊猫在竹林里吃西瓜', [{ icon: 'panda' }, { icon: 'watermelon' }]],
])('%s shows what the phrase means, not each of its words', (prompt, cast) => {
  expect(scene(prompt).cast).toMatchObject(cast)
})

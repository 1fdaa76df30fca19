import sharp from 'sharp'
import { expect, it } from 'vitest'
import { sceneSvg } from '../../src/pictures/composition/draw.ts'
import { languages } from '../../src/pictures/data/subjects.ts'
import { sceneOf } from '../../src/pictures/places/scene.ts'
import type { Scene } from '../../src/pictures/words/description.ts'

/** Nouns that no icon and no place stands for: they are written in letters. */
const unknownNouns =
  `gazebo gargoyle abacus accordionist alchemy aqueduct artichoke atlas ballot banister bassoon beaker bidet bonnet bookend
  brazier buckle bungee bunion butler cabaret cactusfruit calliper canteen caravan carburetor cassock catapult caveat chalice
  chandelier chisel chutney cinder clarinet cobbler colander condor corset cummerbund damask decanter dentist dinghy dirndl
  divan doily dulcimer dumbbell dynamo easel eggplantain emporium ferret figurine flannel flask gallows gavel gibbon goblet
  grotto gurney harmonica harpoon hinge holster hookah inkwell javelin jockstrap kaleidoscope kettlebell lectern loom lute
  mandolin marmot metronome monocle obelisk oboe ottoman parfait pendulum periscope platypus poncho quiver raft`.split(
    /\s+/,
  )

/** One noun of each icon, spread over all of them, and the unknown ones. */
function nouns(count: number): string[] {
  const nounOfIcon = new Map(
    Object.entries(languages['en']!.nouns)
      .filter(([noun]) => !noun.includes(' '))
      .map(([noun, icon]) => [icon, noun]),
  )
  const known = [...nounOfIcon.values()].toSorted()
  const wanted = count - unknownNouns.length
  const picked = known.filter(
    (_, index) =>
      Math.floor(((index + 1) * wanted) / known.length) > Math.floor((index * wanted) / known.length),
  )
  return [...picked, ...unknownNouns]
}

const side = 17

/** What a picture looks like from afar: where it gets lighter or darker from left to right, and its colours in sixteen parts. */
async function lookOf(scene: Scene): Promise<{ slopes: Int8Array; colours: Uint8Array }> {
  const picture = sharp(Buffer.from(sceneSvg(scene, { width: 96, height: 96 }))).removeAlpha()
  const [grey, colours] = await Promise.all([
    picture
      .clone()
      .greyscale()
      .resize(side, side - 1, { fit: 'fill' })
      .raw()
      .toBuffer(),
    picture.clone().resize(4, 4, { fit: 'fill' }).raw().toBuffer(),
  ])
  const slopes = new Int8Array((side - 1) * (side - 1))
  for (let index = 0; index < slopes.length; index++) {
    const at = Math.floor(index / (side - 1)) * side + (index % (side - 1))
    const slope = grey[at + 1]! - grey[at]!
    slopes[index] = Math.abs(slope) < 6 ? 0 : Math.sign(slope)
  }
  return { slopes, colours }
}

type Look = Awaited<ReturnType<typeof lookOf>>

/** How many of 256 slopes and how far, on average, the colours of two pictures differ. */
function unlikeness(one: Look, other: Look): { slopes: number; colours: number } {
  let [slopes, colours] = [0, 0]
  for (let index = 0; index < one.slopes.length; index++)
    slopes += one.slopes[index] === other.slopes[index] ? 0 : 1
  for (let index = 0; index < one.colours.length; index++)
    colours += Math.abs(one.colours[index]! - other.colours[index]!)
  return { slopes, colours: colours / one.colours.length }
}

const areNearlyIdentical = (one: Look, other: Look): boolean => {
  const { slopes, colours } = unlikeness(one, other)
  return slopes <= 10 && colours <= 8
}

const sceneFor = (prompt: string, seed = '1'): Scene => sceneOf({ prompt, seed, width: 512, height: 512 })

it('draws 500 nouns as 500 pictures that no two of are nearly identical', async () => {
  const prompts = nouns(500).map((noun) => `a ${noun}`)
  expect(new Set(prompts).size).toBe(500)
  const looks = await Promise.all(prompts.map((prompt) => lookOf(sceneFor(prompt))))
  const alike: string[] = []
  for (let one = 0; one < looks.length; one++)
    for (let other = one + 1; other < looks.length; other++)
      if (areNearlyIdentical(looks[one]!, looks[other]!)) alike.push(`${prompts[one]} = ${prompts[other]}`)
  expect(alike).toEqual([])
}, 120_000)

it('takes pictures for one another that differ in little', async () => {
  const scene = sceneFor('a snail')
  const { cast: _, ...land } = scene
  const nearer: Scene = { ...scene, camera: { ...scene.camera, x: 0.001 } }
  expect(areNearlyIdentical(await lookOf(scene), await lookOf(nearer))).toBe(true)
  expect(areNearlyIdentical(await lookOf(scene), await lookOf(land))).toBe(false)
})

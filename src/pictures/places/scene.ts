import { gradesOfModels, gradesOfVersions, moveWords, styleWords } from '../data/looks.ts'
import { castOf } from '../words/cast.ts'
import { chooseFamily } from './family-choice.ts'
import { GENE_NAMES, type Genes, type Scene, type Family } from '../words/description.ts'
import { COLOUR_WORDS } from '../data/meanings.ts'
import { fnv1a } from '../../engine/random/hash.ts'
import { mix, thousandth, unit } from './numbers.ts'
import { rankPalettes } from './palettes.ts'
import { exclusionsOf, interpretPrompt, type Reading, hiddenBy, withoutWords } from '../words/reading.ts'

/**
 * Reads a prompt into a scene. Accepts any text: a prompt without known words shows its noun in letters. Only the first
 * 1,200 characters are read, but the hash covers the whole text.
 * @param options.seed any text, such as a task's id.
 * @param options.width the width of the frame in pixels; `height` is its height.
 * @param options.without words for objects to exclude. Only the first 100 entries count.
 * @param options.chaos 0..100: higher values give the words less influence on the palettes.
 */
export function sceneOf(options: {
  prompt: string
  model?: string
  seed?: string
  width: number
  height: number
  without?: readonly string[]
  chaos?: number
}): Scene {
  const { prompt, model = '', seed = '', width, height, without = [], chaos } = options
  const reading = withoutWords(interpretPrompt(prompt), without)
  const excluded = reading.language === 'en' ? exclusionsOf(prompt) : []
  const hidden = hiddenBy([...without, ...excluded])
  const hash = mix(fnv1a(`${prompt.trim()}\0${model}`), fnv1a(seed))
  const family = chooseFamily(reading, prompt, hash)
  const looks = looksOf(prompt, model)
  return {
    version: 1,
    prompt: shortened(prompt),
    seed: hash,
    family,
    ...contentOf(reading, { prompt, family, hash }),
    ...looks,
    palettes:
      looks.style === 'line'
        ? Array.from({ length: 4 }, () => 'paper')
        : rankPalettes(reading, family, hash, chaos).slice(0, 4),
    paletteIndex: 0,
    ...(hidden.length > 0 && { hidden }),
    genes: { ...genesOf(hash), ...modeInWords(reading, family) },
    width,
    height,
    camera: { x: 0, y: 0, width: 1, height: 1 },
  }
}

type Content = Pick<Scene, 'cast' | 'isBeach' | 'isStage' | 'weather' | 'time' | 'tint'>

/** The subjects, shore, weather, hour and colours in a prompt. */
function contentOf(
  reading: Reading,
  { prompt, family, hash }: { prompt: string; family: Family; hash: number },
): Content {
  const cast = castOf(reading, { prompt, family, hash })
  const { weather, time, words } = reading
  return {
    ...(cast.length > 0 && { cast }),
    ...(family === 'sea' &&
      words.some((word) => /^(?:beach|shore|coast|sand)/.test(word)) && { isBeach: true }),
    ...(family === 'room' && words.some((word) => /^(?:stage|theat)/.test(word)) && { isStage: true }),
    ...(weather && { weather }),
    ...(time && { time }),
    ...(reading.colours[0] && { tint: COLOUR_WORDS[reading.colours[0]] }),
  }
}

/** The style of a picture: from its prompt, otherwise from its model. */
function looksOf(prompt: string, model: string): Pick<Scene, 'style' | 'grade' | 'move'> {
  const isAnime = /^niji/i.test(model)
  const style = styleWords.find(([, words]) => words.test(prompt))?.[0] ?? (isAnime ? 'anime' : undefined)
  const version = /^\d/.test(model) || isAnime
  const grade = version
    ? gradesOfVersions.find(([versions]) => versions.test(model))?.[1]
    : gradesOfModels[model === '' ? 0 : fnv1a(model) % gradesOfModels.length]
  const move = moveWords.find(([, words]) => prompt.search(words) >= 0)?.[0]
  return { ...(style && { style }), ...(grade && { grade }), ...(move && { move }) }
}

/**
 * Applies the subjects, weather, hour and mood of another prompt to a world. Land and composition stay the same.
 * @param options.place whether a place named in the prompt replaces the family of the scene.
 * @param options.keeps whether weather and hour stay if the prompt doesn't mention them.
 */
export function rereadScene(scene: Scene, prompt: string, { place = false, keeps = false } = {}): Scene {
  if (isPromptOf(scene, prompt)) return scene
  const reading = interpretPrompt(prompt)
  const family = place && reading.places.size > 0 ? chooseFamily(reading, prompt, scene.seed) : scene.family
  const { cast: _, isBeach: _beach, isStage: _stage, weather, time, tint: _tint, ...land } = scene
  const content = contentOf(reading, { prompt, family, hash: scene.seed })
  const newWeather = content.weather ?? (keeps ? weather : undefined)
  const newTime = content.time ?? (keeps ? time : undefined)
  const isOfAnotherMood = newWeather !== weather || newTime !== time || (!keeps && reading.tags.size > 0)
  return {
    ...land,
    prompt: shortened(prompt),
    family,
    ...content,
    ...(newWeather && { weather: newWeather }),
    ...(newTime && { time: newTime }),
    ...(isOfAnotherMood && { palettes: rankPalettes(reading, family, scene.seed).slice(0, 4) }),
  }
}

/** Whether a scene was made from this prompt. Compares only the beginning that the scene stores. */
export function isPromptOf(scene: Scene, prompt: string): boolean {
  return scene.prompt === shortened(prompt)
}

function shortened(prompt: string): string {
  return prompt.trim().slice(0, 2000)
}

/** The genes that a seed determines. */
export function genesOf(seed: number): Genes {
  const draws = GENE_NAMES.map((name, i) => [name, thousandth(unit(seed, i + 1))])
  return Object.fromEntries(draws) as Genes
}

/** The kind within a family, if the words choose one. Otherwise the `mode` gene decides. */
function modeInWords({ words }: Reading, family: Family): Partial<Genes> {
  function says(...beginnings: string[]) {
    return words.some((word) => beginnings.some((beginning) => word.startsWith(beginning)))
  }
  if (family === 'space' && says('ring')) return { mode: 0.9 }
  if (family !== 'abstract') return {}
  if (says('bauhaus', 'geometric', 'pattern', 'mosaic', 'shape', 'texture', 'kandinsky', 'cubis', 'circle'))
    return { mode: 0.2 }
  if (says('wave', 'gradient', 'flow', 'fluid', 'ribbon')) return { mode: 0.9 }
  return {}
}

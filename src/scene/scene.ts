import { subjectNamed } from './cast.ts'
import { GENE_NAMES, type Genes, type Scene } from './description.ts'
import type { Family } from './kinds.ts'
import { COLOUR_WORDS } from './lexicon.ts'
import { fnv, mix, thousandth, unit } from './numbers.ts'
import { rankedPalettes } from './palette-choice.ts'
import { readPrompt, type Reading } from './reading.ts'

/**
 * Reads a prompt into a scene. Any text will do: what has no known words gets a scene by hash. Only the first
 * 400 words are read, though all of the text counts for the hash.
 * @param options.seed any text, such as a task's id.
 * @param options.width pixels of the frame, as `height`.
 */
export function sceneOf(options: {
  prompt: string
  model?: string
  seed?: string
  width: number
  height: number
}): Scene {
  const { prompt, model = '', seed = '', width, height } = options
  const reading = readPrompt(prompt)
  const hash = mix(fnv(`${prompt.trim()}\0${model}`), fnv(seed))
  const family = familyOf(reading, hash)
  return {
    version: 1,
    prompt: prompt.trim().slice(0, 2000),
    seed: hash,
    family,
    ...(reading.subject && { subject: reading.subject }),
    ...(reading.subjectColour && { subjectColour: COLOUR_WORDS[reading.subjectColour] }),
    ...(reading.weather && { weather: reading.weather }),
    ...(reading.time && { time: reading.time }),
    palettes: rankedPalettes(reading, family, hash).slice(0, 4),
    paletteIndex: 0,
    ...(reading.colours[0] && { tint: COLOUR_WORDS[reading.colours[0]] }),
    genes: { ...genesOf(hash), ...modeInWords(reading, family) },
    width,
    height,
    camera: { x: 0, y: 0, zoom: 1 },
  }
}

/** The draws of a seed. */
export function genesOf(seed: number): Genes {
  const draws = GENE_NAMES.map((name, i) => [name, thousandth(unit(seed, i + 1))])
  return Object.fromEntries(draws) as Genes
}

const FAMILIES_OF_THE_UNKNOWN: Family[] = [
  'hills',
  'sea',
  'abstract',
  'forest',
  'city',
  'space',
  'abstract',
  'dunes',
]

function familyOf(reading: Reading, hash: number): Family {
  const { subject, weather, time, places } = reading
  const [place] = [...places].sort(([, a], [, b]) => b - a)[0] ?? []
  if (place === 'hills' && subject === 'lighthouse') return 'sea'
  if (place) return place
  if (subject) return subjectNamed(subject).home ?? 'emblem'
  if (weather) return weather === 'snow' || weather === 'wind' ? 'hills' : 'city'
  if (time) return time === 'dusk' ? 'sea' : 'hills'
  return FAMILIES_OF_THE_UNKNOWN[hash & 7] ?? 'hills'
}

/** The `mode` gene chooses between the kinds of a family; some words ask for one. */
function modeInWords({ words }: Reading, family: Family): Partial<Genes> {
  function says(...beginnings: string[]) {
    return words.some((word) => beginnings.some((beginning) => word.startsWith(beginning)))
  }
  if (family === 'space' && says('ring')) return { mode: 0.9 }
  if (family !== 'abstract') return {}
  if (says('bauhaus', 'geometric', 'pattern', 'mosaic', 'shape', 'texture')) return { mode: 0.2 }
  if (says('wave', 'gradient', 'flow', 'fluid', 'ribbon')) return { mode: 0.9 }
  if (says('kandinsky', 'cubis', 'circle')) return { mode: 0.5 }
  return {}
}

import { PLACES, STYLES, SUBJECTS } from '../data/photo-words.ts'

import { luminance, nameOfColour, type Colour } from '../places/colour.ts'
import { fnv1a } from '../../engine/random/hash.ts'
import { mix } from '../places/numbers.ts'

/** Four prompts that could have made a photo, from its aspect ratio and colours alone. */
export function describePhoto(
  photo: { width: number; height: number; colours: readonly Colour[]; digest: string },
  seed: number,
): [string, string, string, string] {
  const hash = mix(fnv1a(photo.digest), seed)
  const words = coloursInWords(photo.colours)
  const shape = ` --ar ${lowestTerms(photo)}`
  const light = lightOf(photo.colours)
  const prompts = TEMPLATES.map((template, i) => {
    const one = <Choice>(choices: readonly Choice[], salt: number) =>
      choices[mix(hash, i, salt) % choices.length]!
    return template({
      colours: joinNames(words),
      first: words[0]!,
      second: words[1] ?? words[0]!,
      subject: one(SUBJECTS, 1),
      place: one(PLACES, 2),
      style: STYLES[(mix(hash, 9) + i) % STYLES.length]!,
      light,
    })
  })
  const [a, b, c, d] = prompts.map((prompt) => `${prompt}${shape}`)
  return [a!, b!, c!, d!]
}

/** Four prompts for a picture whose own prompt is known: that prompt, and three variants in other styles. */
export function describeWords(
  words: string,
  size: { width: number; height: number },
  seed: number,
): readonly string[] {
  const hash = mix(fnv1a(words), seed)
  const ways = ['', ...[0, 1, 2].map((i) => `, ${STYLES[(mix(hash, 9) + i) % STYLES.length]}`)]
  return ways.map((way) => `${words}${way} --ar ${lowestTerms(size)}`)
}

interface PromptParts {
  colours: string
  first: string
  second: string
  subject: string
  place: string
  style: string
  light: string
}

const TEMPLATES: readonly ((parts: PromptParts) => string)[] = [
  ({ subject, place, colours, style }) => `${subject} ${place}, in ${colours}, ${style}`,
  ({ place, first, second, light, style }) =>
    `a quiet view ${place}, ${first} fading into ${second}, ${light}, ${style}`,
  ({ subject, colours, light, style }) => `portrait of ${subject}, palette of ${colours}, ${light}, ${style}`,
  ({ colours, first, place, style }) =>
    `${first} shapes ${place}, abstract composition of ${colours}, ${style}`,
]

function coloursInWords(colours: readonly Colour[]): string[] {
  const names = [...new Set(colours.map(nameOfColour))].slice(0, 3)
  return names.length > 0 ? names : ['grey']
}

function joinNames(names: readonly string[]): string {
  const [first = '', ...others] = names
  const last = others.pop()
  return last === undefined ? first : `${[first, ...others].join(', ')} and ${last}`
}

function lightOf(colours: readonly Colour[]): string {
  const light = colours.length === 0 ? 0.5 : luminance(colours[0]!)
  if (light < 0.25) return 'low light'
  if (light < 0.5) return 'dim evening light'
  return light < 0.75 ? 'soft daylight' : 'bright and airy'
}

/** The aspect ratio in the form of `--ar`: `4:3`. Unusual ratios are rounded to small numbers. */
function lowestTerms({ width, height }: { width: number; height: number }): string {
  const shape = Math.max(1, width) / Math.max(1, height)
  let best = { width: 1, height: 1, error: Infinity }
  for (let high = 1; high <= maxTerm; high++) {
    const wide = Math.min(maxTerm, Math.max(1, Math.round(shape * high)))
    const error = Math.abs(Math.log(wide / high / shape))
    if (error < best.error - 0.004) best = { width: wide, height: high, error }
  }
  return `${best.width}:${best.height}`
}

const maxTerm = 21

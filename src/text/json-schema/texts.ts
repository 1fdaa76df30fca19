import { things } from '../write/phrase-data.ts'
import type { Rng, Words } from '../write/random.ts'
import { type SchemaNode } from './node.ts'
import { integerFormats } from './numbers.ts'
import { inventText } from './property-names.ts'

interface Format {
  /** Bounded expressions without nested repetition. They may be stricter than the standards, never laxer. */
  fits: RegExp
  /** Draws texts, the likeliest first, then shorter ones for schemas with little space. */
  draw(rng: Rng, words: Words): readonly string[]
}

const two = (value: number): string => String(value).padStart(2, '0')

function drawDate(rng: Rng): string {
  return `${2024 + rng.integer(4, 'year')}-${two(1 + rng.integer(12, 'month'))}-${two(1 + rng.integer(28, 'day'))}`
}

function drawTime(rng: Rng): string {
  return `${two(rng.integer(24, 'hour'))}:${two(5 * rng.integer(12, 'minute'))}:00Z`
}

function drawHex(rng: Rng, length: number, key: string): string {
  return Array.from({ length }, (_, at) => rng.integer(16, `${key}/${at}`).toString(16)).join('')
}

const drawWord = (rng: Rng): string => rng.pick(things, 'word')

const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const byte = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`

const formats: Readonly<Record<string, Format>> = {
  'date-time': { fits: RegExp(`^${date}T${time}$`), draw: (rng) => [`${drawDate(rng)}T${drawTime(rng)}`] },
  date: { fits: RegExp(`^${date}$`), draw: (rng) => [drawDate(rng)] },
  time: { fits: RegExp(`^${time}$`), draw: (rng) => [drawTime(rng)] },
  duration: {
    fits: /^P(?:\d{1,9}W|\d{1,9}D|T\d{1,9}[HMS]|T\d{1,9}H\d{1,9}M)$/,
    draw: (rng) => [`PT${5 + rng.integer(55, 'minutes')}M`, 'P1D'],
  },
  email: {
    fits: RegExp(`^[A-Za-z0-9_+-]{1,40}(?:\\.[A-Za-z0-9_+-]{1,40}){0,4}@(?:${label}\\.){1,4}[a-z]{2,12}$`),
    draw: (rng, words) => [
      words(rng, (faker) => faker.internet.exampleEmail())
        .toLowerCase()
        .replaceAll(/[^a-z0-9_.@+-]/g, ''),
      `${drawWord(rng)}@example.org`,
      'a@b.co',
    ],
  },
  hostname: {
    fits: RegExp(`^(?:${label}\\.){0,6}${label}$`),
    draw: (rng) => [`${drawWord(rng)}.example.com`, 'example.com', drawWord(rng), 'a.co', 'a'],
  },
  ipv4: {
    fits: RegExp(`^${byte}(?:\\.${byte}){3}$`),
    draw: (rng) => [`192.0.2.${1 + rng.integer(254, 'host')}`, '10.0.0.1'],
  },
  ipv6: {
    fits: /^(?:2001:db8::[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,3}|::1)$/,
    draw: (rng) => [`2001:db8::${drawHex(rng, 3, 'group').replace(/^0+/, '1')}`, '::1'],
  },
  uuid: {
    fits: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
    draw(rng) {
      const hex = drawHex(rng, 30, 'hex')
      return [
        `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18)}`,
      ]
    },
  },
  base64: {
    fits: /^(?:[A-Za-z0-9+/]{4}){0,90}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    draw: (rng) => [btoa(`${drawWord(rng)} ${drawHex(rng, 4, 'bytes')}`), 'YQ=='],
  },
  uri: {
    fits: RegExp(`^https?://(?:${label}\\.){1,6}[a-z]{2,12}(?:/[A-Za-z0-9_.~/-]{0,200})?$`),
    draw: (rng) => [`https://example.com/${drawWord(rng)}`, 'https://example.com', 'http://a.co'],
  },
}

/** Formats that are accepted. Of these, no JSON can violate `float`, `double` and `enum`. */
export const knownFormats: ReadonlySet<string> = new Set([
  ...Object.keys(formats),
  ...Object.keys(integerFormats),
  'float',
  'double',
  'enum',
])

/** How many times a format and a pattern are tried together. */
const maxAttempts = 8

/** Whether a text fits the node's own keywords for texts. */
export function fitsText(node: SchemaNode, text: string): boolean {
  const { minLength = 0, maxLength = Infinity, pattern, format = '' } = node
  const length = [...text].length
  if (length < minLength || length > maxLength || pattern?.fits(text) === false) return false
  // Any text fits a format for other types.
  const form = formats[format]
  return form === undefined || (text.length <= 400 && form.fits.test(text))
}

/**
 * Draws a text that is valid for all nodes.
 * @param invent returns a text that suits the property, whatever its length.
 * @returns undefined if none was found.
 */
export function drawText(
  nodes: readonly SchemaNode[],
  invent: () => string,
  rng: Rng,
  words: Words,
): string | undefined {
  const suits = (text: string): boolean => nodes.every((node) => fitsText(node, text))
  const min = Math.max(0, ...nodes.map(({ minLength = 0 }) => minLength))
  const max = Math.min(...nodes.map(({ maxLength = Infinity }) => maxLength), Infinity)
  if (max < min) return undefined
  const patterns = nodes.flatMap(({ pattern }) => pattern ?? [])
  const forms = nodes.flatMap(({ format = '' }) => formats[format] ?? [])

  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const part = rng.of(String(attempt))
    const found = forms.flatMap((form) => form.draw(part, words)).find(suits)
    if (found !== undefined) return found
    for (const pattern of patterns) {
      const text = pattern.draw({ min, max }, (key) => part.unit(key))
      if (text !== undefined && suits(text)) return text
    }
    if (patterns.length === 0) break
  }
  const more = (index: number): string => {
    return inventText('', rng.of(`more/${index}`), words)
  }
  const free = withLength(invent(), min, max, more)
  return suits(free) ? free : undefined
}

/** Adjusts the length of a text: cuts at a word if that leaves enough, and adds words to a text that is too short. */
function withLength(text: string, min: number, max: number, more: (index: number) => string): string {
  const parts = [text]
  let length = [...text].length
  for (let index = 0; length < min; index++) {
    const next = more(index)
    parts.push(next)
    length += next.length + 1
  }
  const characters = [...parts.join(' ')]
  if (characters.length <= max) return characters.join('')
  const cut = characters.slice(0, max).join('')
  const atWord = cut.replace(/\s+\S*$/, '')
  return atWord !== '' && [...atWord].length >= min ? atWord : cut
}

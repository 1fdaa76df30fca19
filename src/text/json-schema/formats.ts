import type { Rng } from '../write/rng.ts'
import { things } from '../write/phrases.ts'
import type { Words } from '../write/words.ts'

interface Format {
  /** Bounded expressions without nested repetition. They are stricter than the standards rather than laxer. */
  fits: RegExp
  /** The likeliest text first, then shorter ones for schemas with little room. */
  draw(dice: Rng, words: Words): readonly string[]
}

const two = (value: number): string => String(value).padStart(2, '0')

function drawDate(dice: Rng): string {
  return `${2024 + dice.integer(4, 'year')}-${two(1 + dice.integer(12, 'month'))}-${two(1 + dice.integer(28, 'day'))}`
}

function drawTime(dice: Rng): string {
  return `${two(dice.integer(24, 'hour'))}:${two(5 * dice.integer(12, 'minute'))}:00Z`
}

function drawHex(dice: Rng, length: number, key: string): string {
  return Array.from({ length }, (_, at) => dice.integer(16, `${key}/${at}`).toString(16)).join('')
}

const drawWord = (dice: Rng): string => dice.pick(things, 'word')

const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const byte = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`

const formats: Readonly<Record<string, Format>> = {
  'date-time': { fits: RegExp(`^${date}T${time}$`), draw: (dice) => [`${drawDate(dice)}T${drawTime(dice)}`] },
  date: { fits: RegExp(`^${date}$`), draw: (dice) => [drawDate(dice)] },
  time: { fits: RegExp(`^${time}$`), draw: (dice) => [drawTime(dice)] },
  duration: {
    fits: /^P(?:\d{1,9}W|\d{1,9}D|T\d{1,9}[HMS]|T\d{1,9}H\d{1,9}M)$/,
    draw: (dice) => [`PT${5 + dice.integer(55, 'minutes')}M`, 'P1D'],
  },
  email: {
    fits: RegExp(`^[A-Za-z0-9_+-]{1,40}(?:\\.[A-Za-z0-9_+-]{1,40}){0,4}@(?:${label}\\.){1,4}[a-z]{2,12}$`),
    draw: (dice, words) => [
      words(dice, (faker) => faker.internet.exampleEmail())
        .toLowerCase()
        .replaceAll(/[^a-z0-9_.@+-]/g, ''),
      `${drawWord(dice)}@example.org`,
      'a@b.co',
    ],
  },
  hostname: {
    fits: RegExp(`^(?:${label}\\.){0,6}${label}$`),
    draw: (dice) => [`${drawWord(dice)}.example.com`, 'example.com', drawWord(dice), 'a.co', 'a'],
  },
  ipv4: {
    fits: RegExp(`^${byte}(?:\\.${byte}){3}$`),
    draw: (dice) => [`192.0.2.${1 + dice.integer(254, 'host')}`, '10.0.0.1'],
  },
  ipv6: {
    fits: /^(?:2001:db8::[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,3}|::1)$/,
    draw: (dice) => [`2001:db8::${drawHex(dice, 3, 'group').replace(/^0+/, '1')}`, '::1'],
  },
  uuid: {
    fits: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
    draw(dice) {
      const hex = drawHex(dice, 30, 'hex')
      return [
        `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18)}`,
      ]
    },
  },
  uri: {
    fits: RegExp(`^https?://(?:${label}\\.){1,6}[a-z]{2,12}(?:/[A-Za-z0-9_.~/-]{0,200})?$`),
    draw: (dice) => [`https://example.com/${drawWord(dice)}`, 'https://example.com', 'http://a.co'],
  },
}

/** Whole-number formats bound the value; `float`, `double` and `enum` say nothing that JSON could break. */
export const integerFormats: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
}

export const knownFormats: readonly string[] = [
  ...Object.keys(formats),
  ...Object.keys(integerFormats),
  'float',
  'double',
  'enum',
]

/** Whether a text has the format; formats that concern no texts fit any. */
export function fitsFormat(format: string, text: string): boolean {
  const found = formats[format]
  return found === undefined || (text.length <= 400 && found.fits.test(text))
}

/** Texts of the format, the likeliest first; undefined for a format that concerns no texts. */
export function drawFormat(format: string, dice: Rng, words: Words): readonly string[] | undefined {
  return formats[format]?.draw(dice, words)
}

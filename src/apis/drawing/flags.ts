import type { Mode } from './lifecycle.ts'

/** The largest ratio of width to height, or of height to width. */
const extremeRatio = 14

/** The parts of a prompt. */
export interface ReadPrompt {
  /** The words, without URLs and flags. */
  readonly text: string
  /** The URLs of images before the words. */
  readonly images: readonly string[]
  readonly flags: PromptFlags
  /** Why the task will fail, in the channel's words. */
  readonly problem?: string
}

export interface PromptFlags {
  /** Width by height. */
  readonly ratio?: number
  /** The version of the model: `7`, `6.1`, `niji 6`. */
  readonly version?: string
  readonly seed?: number
  readonly chaos?: number
  readonly without?: readonly string[]
  readonly tile?: boolean
  readonly imageWeight?: number
  readonly mode?: Mode
  readonly zoom?: number
}

/** Reads the value of a flag; null if it is invalid. */
type Reader = (value: string) => PromptFlags | null

const maxImages = 10
const maxProblems = 5

/**
 * Splits a prompt into URLs, words and flags (§4.4: "inline option flags of the drawing channel's own syntax"). As in the
 * channel, the request is accepted, but unknown and invalid flags make the task fail.
 *
 * @assumed §4.4 the flags are undocumented; wire §7.2, and the channel's public documentation for their bounds.
 */
export function readFlags(prompt: string): ReadPrompt {
  const [words = '', ...pieces] = splitFlags(prompt)
  const { images, text } = withoutImages(words)
  let flags: PromptFlags = {}
  const problems: string[] = []
  for (const piece of pieces) {
    const [, name = '', value = ''] = /^(\S+)\s*([\s\S]*)$/.exec(piece) ?? []
    const read = readers.get(name.toLowerCase())
    const flag = read?.(value.trim())
    if (flag) flags = { ...flags, ...flag }
    else if (read)
      problems.push(`Invalid value provided for argument --${name}: "${value.trim().slice(0, 60)}"`)
    else problems.push(`Unrecognized argument(s): --${name.slice(0, 60)}`)
  }
  if (images.length > maxImages) problems.push(`Too many image prompts: at most ${maxImages} are taken`)
  const listed = problems.slice(0, maxProblems).join('; ')
  const problem = problems.length === 0 ? {} : { problem: `[Invalid parameter] ${listed}` }
  return { text, images: images.slice(0, maxImages), flags, ...problem }
}

/** The words of a prompt, followed by each flag with its value. */
function splitFlags(prompt: string): string[] {
  // With single spaces, the patterns below take linear time.
  const plain = prompt.replace(/\s+/g, ' ').trim()
  // Phones replace two hyphens with a dash.
  const dashed = plain.replace(/(^| )[—–](?=[a-z])/gi, '$1--')
  return ` ${dashed}`.split(/ --(?=[a-z])/i)
}

function withoutImages(words: string): { images: string[]; text: string } {
  const images: string[] = []
  const rest = words.trim().split(' ')
  while (/^https?:\/\/./i.test(rest[0] ?? '') && images.length <= maxImages) {
    images.push(rest.shift()!.replace(/,$/, ''))
  }
  const text = rest.join(' ').replace(/::-?\d*(?:\.\d+)?/g, ' ')
  return { images, text: text.replace(/ +/g, ' ').trim() }
}

function number(min: number, max: number, toFlags: (value: number) => PromptFlags = () => ({})): Reader {
  return (value) => {
    const amount = /^(?:\d{1,10}(?:\.\d{1,4})?|\.\d{1,4})$/.test(value) ? Number(value) : NaN
    return amount >= min && amount <= max ? toFlags(amount) : null
  }
}

function whole(min: number, max: number, toFlags: (value: number) => PromptFlags = () => ({})): Reader {
  const read = number(min, max, toFlags)
  return (value) => (/^\d+$/.test(value) ? read(value) : null)
}

function oneOf(values: readonly string[], toFlags: (value: string) => PromptFlags = () => ({})): Reader {
  return (value) => (values.includes(value.toLowerCase()) ? toFlags(value.toLowerCase()) : null)
}

const nothing = (flags: PromptFlags): Reader => oneOf([''], () => flags)
const anything: Reader = (value) => (value === '' ? null : {})

function ratio(value: string): PromptFlags | null {
  const [, width, height] = /^(\d{1,4})\s*[:x/]\s*(\d{1,4})$/.exec(value) ?? []
  const shape = Number(width) / Number(height)
  return shape >= 1 / extremeRatio && shape <= extremeRatio ? { ratio: shape } : null
}

function without(value: string): PromptFlags | null {
  const words = value.split(',').map((word) => word.trim())
  return value === '' ? null : { without: words.filter(Boolean).slice(0, 50) }
}

const versions = ['1', '2', '3', '4', '5', '5.0', '5.1', '5.2', '6', '6.0', '6.1', '7', '7.0', '8', '8.0']
const version = oneOf(versions, (value) => ({ version: value.replace('.0', '') }))
const niji = oneOf(['', '4', '5', '6', '7'], (value) => ({
  version: value === '' ? 'niji 7' : `niji ${value}`,
}))

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    ar: ratio,
    aspect: ratio,
    v: version,
    version,
    niji,
    seed: whole(0, 2 ** 32 - 1, (seed) => ({ seed })),
    no: without,
    s: whole(0, 1000),
    stylize: whole(0, 1000),
    c: whole(0, 100, (chaos) => ({ chaos })),
    chaos: whole(0, 100, (chaos) => ({ chaos })),
    w: whole(0, 3000),
    weird: whole(0, 3000),
    q: oneOf(['.25', '0.25', '.5', '0.5', '1', '2', '4']),
    quality: oneOf(['.25', '0.25', '.5', '0.5', '1', '2', '4']),
    tile: nothing({ tile: true }),
    iw: number(0, 3, (imageWeight) => ({ imageWeight })),
    p: (): PromptFlags => ({}),
    profile: (): PromptFlags => ({}),
    stop: whole(10, 100),
    r: whole(1, 40),
    repeat: whole(1, 40),
    raw: nothing({}),
    draft: nothing({}),
    hd: nothing({}),
    style: anything,
    exp: whole(0, 100),
    sref: anything,
    sw: whole(0, 1000),
    sv: whole(1, 10),
    cref: anything,
    cw: whole(0, 100),
    oref: anything,
    ow: whole(1, 1000),
    fast: nothing({ mode: 'fast' }),
    relax: nothing({ mode: 'relax' }),
    turbo: nothing({ mode: 'turbo' }),
    public: nothing({}),
    stealth: nothing({}),
    zoom: number(1, 2, (zoom) => ({ zoom })),
    video: nothing({}),
    motion: oneOf(['low', 'high']),
    loop: nothing({}),
    end: anything,
    bs: oneOf(['1', '2', '4']),
  }),
)

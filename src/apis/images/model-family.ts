import type { Size } from '../../media/raster/raster.ts'
import { invalidField, unsupported } from './refusals.ts'

/**
 * What models of one family take. A name that no family has, such as one of the user's own, takes everything.
 * @assumed §2.6 the models of images are undocumented; the types and comments of OpenAI's SDK.
 */
export interface ModelFamily {
  /** The sizes, by name. Without them, any size within the bounds is accepted. */
  readonly sizes?: readonly string[]
  /** What each side must be a multiple of, without fixed sizes. */
  readonly sideStep: number
  readonly maxPromptLength: number
  readonly maxImages: number
  /** Whether images always come as base64, so that `response_format` is refused. */
  readonly isAlwaysBase64: boolean
  /** Whether the response repeats size, quality and format, and tells the tokens. */
  readonly hasUsage: boolean
  readonly revisesPrompts: boolean
}

export const maxImages = 10
export const maxPromptLength = 32_000

const gpt: ModelFamily = {
  sideStep: 16,
  maxPromptLength,
  maxImages,
  isAlwaysBase64: true,
  hasUsage: true,
  revisesPrompts: false,
}

const dallE = { sideStep: 1, isAlwaysBase64: false, hasUsage: false }

const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [
    /^(?:gpt-image-1(?:$|[-.])|chatgpt-image)/,
    { ...gpt, sizes: ['1024x1024', '1024x1536', '1536x1024', 'auto'] },
  ],
  [/^gpt-image/, gpt],
  [
    /^dall-e-3/,
    {
      ...dallE,
      sizes: ['1024x1024', '1792x1024', '1024x1792'],
      maxPromptLength: 4_000,
      maxImages: 1,
      revisesPrompts: true,
    },
  ],
  [
    /^dall-e/,
    {
      ...dallE,
      sizes: ['256x256', '512x512', '1024x1024'],
      maxPromptLength: 1_000,
      maxImages,
      revisesPrompts: false,
    },
  ],
]

const others: ModelFamily = { ...gpt, sideStep: 1, isAlwaysBase64: false }

export function familyOf(model: string): ModelFamily {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? others
}

export const minSide = 64
export const maxSide = 3_840
export const maxPixels = 3_840 * 2_160
/** The maximum ratio of the longer side to the shorter one. */
const maxRatio = 3

/**
 * The size of an image; undefined for `auto`.
 * @throws {GatewayError} for one that the model does not take.
 */
export function readSize(name: string, { sizes, sideStep }: ModelFamily): Size | undefined {
  if (sizes && !sizes.includes(name)) throw unsupported('size', name, sizes)
  if (name === 'auto') return undefined
  const [, wide, high] = /^(\d{1,5})x(\d{1,5})$/.exec(name) ?? []
  if (wide === undefined || high === undefined)
    throw badSize(name, 'Write WIDTHxHEIGHT, such as 1024x1024, or auto.')
  const size = { width: Number(wide), height: Number(high) }
  const problem = sizes ? undefined : sizeProblem(size, sideStep)
  if (problem !== undefined) throw badSize(name, problem)
  return size
}

function sizeProblem({ width, height }: Size, step: number): string | undefined {
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (short < minSide || long > maxSide) return `Each side must have ${minSide} to ${maxSide} pixels.`
  if (width % step !== 0 || height % step !== 0) return `Width and height must be divisible by ${step}.`
  if (long > short * maxRatio) return `The ratio must be between 1:${maxRatio} and ${maxRatio}:1.`
  return width * height > maxPixels ? `At most ${maxPixels} pixels are taken, as in 3840x2160.` : undefined
}

function badSize(name: string, problem: string): Error {
  return invalidField('size', 'invalid_value', `Invalid value: '${name.slice(0, 60)}'. ${problem}`)
}

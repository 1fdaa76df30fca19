import type { Quirks } from '../../scenario/vocabulary/types.ts'
import type { Size } from '../../media/raster/raster.ts'
import type { PictureFile } from '../../media/spec.ts'
import type { ImageQuality } from '../painting/painting.ts'
import { aboveMaximum, type ImageBody } from './form.ts'
import { familyOf, readSize, type ModelFamily } from './model-family.ts'
import { checkLength, invalidField } from './refusals.ts'
import { DurationError } from '../../engine/clock/duration.ts'
import { readTaskDirectives, taskDirectives } from '../../scenario/directives.ts'
import { faultDirectives, faultUsage, takePromptFault, type PromptFault } from '../../text/directives.ts'

/** A prompt without its directives, and the effects of these. */
interface ImagePrompt {
  readonly prompt: string
  readonly fault: PromptFault | undefined
  /** Why the prompt is refused, if it is; empty without a reason. */
  readonly blocked: string | undefined
  /** How long the images take, if the prompt says; `forever` for no answer. */
  readonly takes: number | 'forever' | undefined
}

/** The directives that prompts of images may have. */
export const imageDirectives = [...taskDirectives, ...faultDirectives] as const

export function imageDirectiveUsage(word: string, rest: string): string | undefined {
  return faultDirectives.some((each) => each === word) ? faultUsage(word, rest) : undefined
}

/** @throws {GatewayError} for a directive without a valid duration. */
function readImagePrompt(text: string, hasDirectives: boolean): ImagePrompt {
  if (!hasDirectives) return { prompt: text, fault: undefined, blocked: undefined, takes: undefined }
  try {
    const { text: rest, fault } = takePromptFault(text)
    const { prompt, shape } = readTaskDirectives(rest)
    const isBlocked = shape.outcome === 'failure'
    return {
      prompt,
      fault,
      blocked: isBlocked ? (shape.reason ?? '') : undefined,
      takes: toDuration(shape.queued, shape.render),
    }
  } catch (error) {
    if (error instanceof DurationError) throw invalidField('prompt', 'invalid_value', error.message)
    throw error
  }
}

type Span = number | 'forever' | undefined

function toDuration(...spans: readonly unknown[]): Span {
  const given = spans.filter((span) => span !== undefined) as Exclude<Span, undefined>[]
  if (given.length === 0) return undefined
  return given.some((span) => span === 'forever')
    ? 'forever'
    : given.reduce<number>((sum, span) => sum + Number(span), 0)
}

/** A request for images that was checked. */
export interface ImageRequest extends ImagePrompt {
  readonly model: string
  readonly family: ModelFamily
  readonly count: number
  /** Undefined for `auto`. */
  readonly size: Size | undefined
  readonly quality: ImageQuality
  readonly isCutOut: boolean
  readonly format: ImageBody['output_format']
  readonly file: PictureFile | undefined
  readonly isUrl: boolean
  /** How many partial images come before each image of a stream; undefined without a stream. */
  readonly partialImages: number | undefined
}

/**
 * Checks a request whose fields were read.
 * @assumed §4.6 the fields of OpenAI's images are undocumented; the types and comments of OpenAI's SDK.
 * @throws {GatewayError} in OpenAI's envelope, with the field.
 */
export function readImageRequest(
  fields: ImageBody,
  hasDirectives: boolean,
  format: Quirks['imageFormat'],
): ImageRequest {
  const { model, prompt, stream: isStream, n: count } = fields
  const family = familyOf(model)
  checkLength('prompt', prompt, family.maxPromptLength)
  const isUrl = readIsUrl(fields, family, format)
  if (isStream && isUrl && fields.response_format !== undefined)
    throw invalidField(
      'response_format',
      'invalid_value',
      'Streams have no URLs. Use b64_json, or leave stream out.',
    )
  if (count > family.maxImages) throw aboveMaximum('n', count, family.maxImages)
  return {
    ...readImagePrompt(prompt, hasDirectives),
    model,
    family,
    count,
    size: readSize(fields.size ?? (family.hasUsage ? 'auto' : '1024x1024'), family),
    quality: toQuality(fields.quality),
    isCutOut: readIsCutOut(fields),
    format: fields.output_format,
    file: readFile(fields),
    isUrl: isUrl && !isStream,
    partialImages: isStream ? fields.partial_images : undefined,
  }
}

/** @assumed §4.6 the default format is undocumented; URLs, except for models that only return base64. */
function readIsUrl(
  { response_format: requested }: ImageBody,
  { isAlwaysBase64 }: ModelFamily,
  format: Quirks['imageFormat'],
): boolean {
  if (!isAlwaysBase64 || format !== 'vendor') {
    const isBase64 = isAlwaysBase64 || format === 'base64'
    return (requested ?? (isBase64 ? 'b64_json' : 'url')) === 'url'
  }
  if (requested === undefined) return false
  throw invalidField('response_format', 'unknown_parameter', "Unknown parameter: 'response_format'.")
}

function readIsCutOut({ background, output_format: format }: ImageBody): boolean {
  if (background === 'transparent' && format === 'jpeg') {
    const message = 'Transparent background is not supported for JPEG output. Use png or webp.'
    throw invalidField('background', 'invalid_value', message)
  }
  return background === 'transparent'
}

/** The least quality that encoders take. */
const minQuality = 1

function readFile({
  output_format: format,
  output_compression: compression,
}: ImageBody): PictureFile | undefined {
  if (format !== 'png') return { format, quality: Math.max(minQuality, compression) }
  if (compression === 100) return undefined
  const message = 'Compression less than 100 is not supported for PNG output format.'
  throw invalidField('output_compression', 'invalid_value', message)
}

function toQuality(quality: ImageBody['quality']): ImageQuality {
  if (quality === 'auto' || quality === 'standard') return 'medium'
  return quality === 'hd' ? 'high' : quality
}

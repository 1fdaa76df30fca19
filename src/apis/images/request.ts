import type { Size } from '../../media/raster/raster.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type { PictureFile } from '../../media/spec.ts'
import type { ImageQuality } from '../painting/image-tokens.ts'
import { requireModel, requireModelName, type Catalog } from '../models/catalog.ts'
import { readImagePrompt, type ImagePrompt } from './directives.ts'
import { checkLength, ImageFields, missing } from './fields.ts'
import { familyOf, readSize, type ModelFamily } from './model-family.ts'
import { invalidField } from './refusals.ts'

export const formats = ['png', 'jpeg', 'webp'] as const
export const qualities = ['low', 'medium', 'high', 'xhigh', 'max', 'auto', 'standard', 'hd'] as const
export const backgrounds = ['transparent', 'opaque', 'auto'] as const
export const maxPartialImages = 3

/** A request for images that was checked. */
export interface ImageRequest extends ImagePrompt {
  readonly model: string
  readonly family: ModelFamily
  readonly count: number
  /** Undefined for `auto`. */
  readonly size: Size | undefined
  readonly quality: ImageQuality
  readonly isCutOut: boolean
  readonly format: (typeof formats)[number]
  readonly file: PictureFile | undefined
  readonly isUrl: boolean
  /** How many partial images come before each image of a stream; undefined without a stream. */
  readonly partialImages: number | undefined
}

/**
 * Reads a request, as JSON or as a form.
 * @assumed §4.6 this protocol is undocumented; the types and comments of OpenAI's SDK.
 * @throws {GatewayError} in OpenAI's envelope, with the field.
 */
export function readImageRequest(x: Exchange, catalog: Catalog, hasDirectives: boolean): ImageRequest {
  const model = about('model', () => {
    const name = requireModelName(x.body['model'])
    requireModel(catalog, name, 'drawing')
    return name
  })
  const family = familyOf(model)
  const fields = new ImageFields(x.body, !/^application\/json\b/i.test(x.header('content-type')))
  const prompt = fields.text('prompt')
  if (prompt === undefined || prompt.trim() === '') throw missing('prompt')
  checkLength('prompt', prompt, family.maxPromptLength)
  const format = fields.oneOf('output_format', formats) ?? 'png'
  const isStream = fields.boolean('stream') ?? false
  const partialImages = fields.integer('partial_images', 0, maxPartialImages) ?? 0
  fields.oneOf('moderation', ['low', 'auto'])
  fields.oneOf('style', ['vivid', 'natural'])
  fields.oneOf('input_fidelity', ['high', 'low'])
  const isUrl = readIsUrl(fields, family)
  if (isStream && isUrl && fields.get('response_format') !== undefined)
    throw invalidField(
      'response_format',
      'invalid_value',
      'Streams have no URLs. Use b64_json, or leave stream out.',
    )
  return {
    ...readImagePrompt(prompt, hasDirectives),
    model,
    family,
    count: fields.integer('n', 1, family.maxImages) ?? 1,
    size: readSize(fields.text('size') ?? (family.hasUsage ? 'auto' : '1024x1024'), family),
    quality: toQuality(fields.oneOf('quality', qualities) ?? 'auto'),
    isCutOut: readIsCutOut(fields, format),
    format,
    file: readFile(fields, format),
    isUrl: isUrl && !isStream,
    partialImages: isStream ? partialImages : undefined,
  }
}

/** Names the field of a refusal that the gateway itself makes. */
function about<Result>(param: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof GatewayError) error.param = param
    throw error
  }
}

/** @assumed §4.6 without a format, images are URLs, but of models that only give base64. */
function readIsUrl(fields: ImageFields, { isAlwaysBase64 }: ModelFamily): boolean {
  const format = fields.oneOf('response_format', ['url', 'b64_json'])
  if (!isAlwaysBase64) return format !== 'b64_json'
  if (format === undefined) return false
  throw invalidField('response_format', 'unknown_parameter', "Unknown parameter: 'response_format'.")
}

function readIsCutOut(fields: ImageFields, format: ImageRequest['format']): boolean {
  const background = fields.oneOf('background', backgrounds)
  if (background === 'transparent' && format === 'jpeg') {
    const message = 'Transparent background is not supported for JPEG output. Use png or webp.'
    throw invalidField('background', 'invalid_value', message)
  }
  return background === 'transparent'
}

/** The least quality that encoders take. */
const minQuality = 1

function readFile(fields: ImageFields, format: ImageRequest['format']): PictureFile | undefined {
  const compression = fields.integer('output_compression', 0, 100) ?? 100
  if (format !== 'png') return { format, quality: Math.max(minQuality, compression) }
  if (compression === 100) return undefined
  const message = 'Compression less than 100 is not supported for PNG output format.'
  throw invalidField('output_compression', 'invalid_value', message)
}

function toQuality(quality: (typeof qualities)[number]): ImageQuality {
  if (quality === 'auto' || quality === 'standard') return 'medium'
  return quality === 'hd' ? 'high' : quality
}

import { truncate } from '../../engine/truncate.ts'
import { kindsOf, requireModelName } from '../models/catalog.ts'
import { DurationError } from '../../engine/clock/duration.ts'
import { abortError, taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { parseObject, type JsonObject, type JsonValue } from '../../gateway/bodies/json.ts'
import { readMagic, type MagicPrompt } from '../../scenario/magic.ts'
import type { GivenImage, RequestImage } from './image.ts'
import type { ModelSettings, VideoSettings } from './settings.ts'
import { evenSize, parseAspectRatio, parseResolution, parseSize, sizeOf, type Size } from './size.ts'

/** A video request that can be carried out. */
export interface VideoRequest {
  readonly model: string
  readonly magic: MagicPrompt
  readonly seconds: number
  readonly size: Size
  readonly image: GivenImage | null
  /** Why fetching the image failed, which fails the task. */
  readonly unavailable: string | undefined
  /** The seed of the clip, if the request has one. */
  readonly seed: string | undefined
  /** The gateway's name for this kind of request: with an image, without, or between two. */
  readonly action: string
}

/**
 * Checks a submission (§4.1) in the gateway's order: the model, the prompt, the rest.
 *
 * @assumed §4.1 all fields but model, prompt and image are undocumented; wire §3.1.
 * @throws {GatewayError} in the envelope of the part of the gateway that refuses.
 */
export function readVideoRequest(
  body: JsonObject,
  image: RequestImage,
  settings: VideoSettings,
): VideoRequest {
  const model = readModel(body['model'], settings)
  const magic = readPrompt(body['prompt'], settings)
  const metadata = readMetadata(body['metadata'])
  if (image !== null && 'refused' in image) throw invalid(image.refused)
  if (image !== null && model.image === false) throw invalid(`model ${model.name} does not take an image`)
  const seed = metadata['seed']
  return {
    model: model.name,
    magic,
    seconds: readSeconds(body, model, settings),
    size: readSize(body, metadata, model, settings),
    image: image !== null && 'unavailable' in image ? null : image,
    unavailable: image !== null && 'unavailable' in image ? image.unavailable : undefined,
    seed: typeof seed === 'number' || typeof seed === 'string' ? truncate(String(seed), 100) : undefined,
    action: actionOf(body, image),
  }
}

/** @assumed §7 the answers to a missing or unknown model are undocumented; wire §2.2. */
function readModel(field: JsonValue | undefined, { models }: VideoSettings): ModelSettings {
  const value = requireModelName(field)
  if (models.length === 0) return { name: value }
  const makers = models.filter(({ name, kind }) => kindsOf(name, kind).includes('video'))
  const known = makers.find(({ name }) => name === value)
  if (known) return known
  const message = `No available channel for model ${value.slice(0, 200)} under group default (distributor)`
  const names = makers.map(({ name }) => name).join(', ')
  throw abortError(503, message, 'model_not_found').withHint(`The configured models are: ${names}.`)
}

function readPrompt(value: JsonValue | undefined, settings: VideoSettings): MagicPrompt {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw invalid('field prompt must be a string')
  }
  if (!value || value.trim() === '') throw invalid('prompt is required')
  const limit = settings.promptLimitCharacters
  if (value.length > limit) throw invalid(`prompt is too long: ${value.length} characters, at most ${limit}`)
  if (!settings.promptDirectives) return { prompt: value, shape: {} }
  try {
    return readMagic(value)
  } catch (error) {
    if (error instanceof DurationError) throw invalid(error.message)
    throw error
  }
}

/** More than any real request has. They are stored with the task. */
export const maxMetadataValues = 1_000

/** Whether a value has more values in it. Stops counting there. */
function hasMoreThan(value: JsonValue, max: number): boolean {
  const open: JsonValue[] = [value]
  for (let count = 0; open.length > 0; count++) {
    if (count > max) return true
    const each = open.pop()!
    if (typeof each !== 'object' || each === null) continue
    for (const name in each) {
      if (open.length > max) return true
      open.push((each as Record<string, JsonValue>)[name]!)
    }
  }
  return false
}

/** `metadata` is an object, or a text that holds one. */
function readMetadata(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null || value === '') return {}
  const parsed = typeof value === 'string' ? parseObject(value) : value
  if (typeof parsed === 'object' && !Array.isArray(parsed)) {
    if (hasMoreThan(parsed as JsonValue, maxMetadataValues))
      throw invalid(`metadata has more than ${maxMetadataValues} values`)
    return parsed
  }
  throw invalid('metadata must be an object, or a JSON-encoded string of one')
}

function readSeconds(body: JsonObject, model: ModelSettings, { seconds }: VideoSettings): number {
  const defaultSeconds =
    model.seconds?.includes(seconds.default) === false ? model.seconds[0]! : seconds.default
  const length = readDuration(body['duration']) || readSecondsField(body['seconds']) || defaultSeconds
  if (length < seconds.min || length > seconds.max) {
    throw taskError(400, 'invalid_seconds', `seconds must be between ${seconds.min} and ${seconds.max}`)
  }
  if (model.seconds && !model.seconds.includes(length)) {
    const known = model.seconds.join(', ')
    throw taskError(
      400,
      'invalid_seconds',
      `model ${model.name} makes clips of ${known} seconds, not ${length}`,
    )
  }
  return length
}

/** An integer or a numeric text; other texts are ignored. 0 stands for the default. */
function readDuration(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'string') return /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : 0
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw invalid('field duration must be a whole number of seconds')
}

/** `seconds` must be a text; one that isn't numeric is ignored. */
function readSecondsField(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'string') throw invalid('field seconds must be a string')
  return readDuration(value)
}

function readSize(
  body: JsonObject,
  metadata: JsonObject,
  model: ModelSettings,
  settings: VideoSettings,
): Size {
  const given = readGivenSize(body, metadata, settings)
  const size = evenSize(given ?? parseSize(model.sizes?.[0] ?? settings.size.default)!)
  const { min, max } = settings.size
  if (!(Math.min(size.width, size.height) >= min && Math.max(size.width, size.height) <= max)) {
    const named =
      typeof body['size'] === 'string' ? truncate(body['size'], 60) : `${size.width}x${size.height}`
    throw invalidSize(`size must have sides from ${min} to ${max} pixels, not ${named}`)
  }
  const name = `${size.width}x${size.height}`
  const known = model.sizes?.map((text) => evenSize(parseSize(text)!))
  if (known?.some(({ width, height }) => name === `${width}x${height}`) === false)
    throw invalidSize(`${model.name} size is invalid`)
  return size
}

function readGivenSize(body: JsonObject, metadata: JsonObject, settings: VideoSettings): Size | null {
  const value = body['size']
  if (value !== undefined && value !== null && value !== '') {
    const size = typeof value === 'string' ? parseSize(value) : null
    if (!size)
      throw invalidSize(`size must be WIDTHxHEIGHT in pixels, not ${JSON.stringify(value).slice(0, 60)}`)
    return size
  }
  const resolution = readWord(metadata['resolution'], 'resolution', '"720p"')
  const aspectRatio = readWord(metadata['aspect_ratio'], 'aspect_ratio', '"16:9"')
  if (resolution === null && aspectRatio === null) return null

  const defaultSize = parseSize(settings.size.default)!
  const whole = resolution === null ? defaultSize : parseSize(resolution)
  if (whole && aspectRatio === null) return whole
  const shortSide = whole ? Math.min(whole.width, whole.height) : parseResolution(resolution!)
  const ratio = aspectRatio === null ? defaultSize.width / defaultSize.height : parseAspectRatio(aspectRatio)
  if (shortSide === null) throw invalidSize(`metadata.resolution is ${show(resolution)}: write it as "720p"`)
  if (ratio === null) throw invalidSize(`metadata.aspect_ratio is ${show(aspectRatio)}: write it as "16:9"`)
  return sizeOf(shortSide, ratio)
}

function readWord(value: JsonValue | undefined, name: string, example: string): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw invalidSize(`metadata.${name} must be a string: write it as ${example}`)
}

/** @assumed §4.1 the kinds of requests are undocumented; wire §3.2 `action`. */
function actionOf(body: JsonObject, image: RequestImage): string {
  if (image === null) return 'textGenerate'
  const count = Array.isArray(body['images']) ? body['images'].length : 1
  return count === 2 ? 'firstTailGenerate' : count > 2 ? 'referenceGenerate' : 'generate'
}

function show(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 60)
}

/** @assumed §7 validation errors are undocumented; wire §2.4. */
function invalid(message: string): GatewayError {
  return taskError(400, 'invalid_request', message)
}

function invalidSize(message: string): GatewayError {
  return taskError(400, 'invalid_size', message)
}

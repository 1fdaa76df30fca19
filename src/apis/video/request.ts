import { truncate } from '../../engine/truncate.ts'
import { kindsOf, requireModelName } from '../models/catalog.ts'
import { DurationError } from '../../engine/clock/duration.ts'
import { abortError, taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { parseObject, type JsonObject, type JsonValue } from '../../gateway/bodies/json.ts'
import type { AudioOption } from '../../media/spec.ts'
import { readMagic, type MagicPrompt } from '../../scenario/magic.ts'
import type { GivenImage, RequestImage } from './image.ts'
import type { VideoSettings } from './settings.ts'
import type { ModelSettings } from '../../scenario/vocabulary/types.ts'
import {
  evenSize,
  fitSize,
  parseAnySize,
  parseAspectRatio,
  parseResolution,
  parseSize,
  sizeOf,
  type Size,
} from './size.ts'

/** The length and the size of a clip. */
export interface RenderedVideo extends Size {
  readonly seconds: number
}

/** A valid video request. */
export interface VideoRequest {
  readonly model: string
  readonly magic: MagicPrompt
  readonly seconds: number
  readonly size: Size
  /** The images that the clip shows one after the other. */
  readonly images: readonly GivenImage[]
  /** The size and length that are rendered. */
  readonly rendered: RenderedVideo
  /** An unexpected length or size, for the hint header. */
  readonly advice: string | undefined
  /** Why fetching the image failed, which fails the task. */
  readonly unavailable: string | undefined
  /** The seed of the clip, if the request has one. */
  readonly seed: string | undefined
  readonly audio: AudioOption
  /** The gateway's name for this kind of request: with an image, without one, or between two. */
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
  images: readonly RequestImage[],
  settings: VideoSettings,
): VideoRequest {
  const model = readModel(body['model'], settings)
  const magic = readPrompt(body['prompt'], settings)
  const metadata = readMetadata(body['metadata'])
  for (const image of images) if ('refused' in image) throw invalid(image.refused)
  if (images.length > 0 && model.image === false) throw invalid(`model ${model.name} does not take an image`)
  const seed = metadata['seed']
  const seconds = readSeconds(body, model, settings)
  const size = readSize(body, metadata, model, settings)
  const rendered = {
    ...fitSize(size, settings.rendered),
    seconds: Math.min(seconds, settings.rendered.seconds),
  }
  return {
    model: model.name,
    audio: model.audio ?? settings.audio,
    magic,
    seconds,
    size,
    rendered,
    advice: adviceOf(body, { ...size, seconds }, rendered),
    images: images.filter((image) => 'digest' in image || 'url' in image),
    unavailable: images.find((image) => 'unavailable' in image)?.unavailable,
    seed: typeof seed === 'number' || typeof seed === 'string' ? truncate(String(seed), 100) : undefined,
    action: actionOf(body, images),
  }
}

function adviceOf(body: JsonObject, video: RenderedVideo, rendered: RenderedVideo): string | undefined {
  const advice: string[] = []
  const field = isGiven(body['duration']) ? 'duration' : 'seconds'
  const value = body[field]
  if (isGiven(value) && readDuration(value) === 0 && !(field === 'duration' && isGiven(body['seconds']))) {
    const why =
      Number(value) === 0 ? 'which stands for the default' : 'which is no whole number and is ignored'
    advice.push(`${field} is ${show(value)}, ${why}: the video has ${video.seconds} s.`)
  }
  if (rendered.seconds !== video.seconds) {
    advice.push(`The clip has ${rendered.seconds} s. Set video.seconds.max to render longer ones.`)
  }
  if (rendered.width !== video.width || rendered.height !== video.height) {
    advice.push(
      `The clip is rendered in ${rendered.width}x${rendered.height}. Set video.size to render other sizes.`,
    )
  }
  return advice.length === 0 ? undefined : advice.join(' ')
}

function isGiven(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && value !== ''
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

/** More than real requests have. They are stored with the task. */
export const maxMetadataValues = 1_000

/** Whether a value contains more than `max` values. Stops counting at that number. */
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

/** Reads `metadata`: an object, or a text that contains one. */
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

/** The default length of a request. */
function defaultSecondsOf(model: ModelSettings, { seconds }: VideoSettings): number {
  return model.seconds?.includes(seconds.default) === false ? model.seconds[0]! : seconds.default
}

function readSeconds(body: JsonObject, model: ModelSettings, settings: VideoSettings): number {
  const { seconds } = settings
  const [duration, inSeconds] = [readDuration(body['duration']), readSecondsField(body['seconds'])]
  const length = duration || inSeconds || defaultSecondsOf(model, settings)
  if (length < seconds.min || length > seconds.max) {
    const message = `seconds must be between ${seconds.min} and ${seconds.max}`
    const field = duration ? 'duration' : 'seconds'
    const value = JSON.stringify(body[field] ?? length).slice(0, 40)
    throw taskError(400, 'invalid_seconds', message).withHint(`${field} is ${value}: ${message}.`)
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

/** An integer or a numeric text. Other texts are ignored. @assumed §4.1 wire §3.1: 0 means the default. */
function readDuration(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'string') return /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : 0
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw invalid('field duration must be a whole number of seconds')
}

/** Reads `seconds`, which must be a text. A text that isn't numeric is ignored. */
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
  const { width, height } = given ?? size
  if (!(Math.min(width, height) >= min && Math.max(width, height) <= max)) {
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
  const defaultSize = parseSize(settings.size.default)!
  const resolution = readWord('resolution', '"720p"', body, metadata)
  const aspectRatio = readWord('aspect_ratio', '"16:9"', body, metadata)
  if (value !== undefined && value !== null && value !== '') {
    const size = typeof value === 'string' ? parseAnySize(value, defaultSize) : null
    if (size) return size
    const forms = 'WIDTHxHEIGHT in pixels, a resolution such as 1080p, or an aspect ratio such as 16:9'
    throw invalidSize(`size must be ${forms}, not ${show(value)}`)
  }
  if (resolution === null && aspectRatio === null) return null

  const whole = resolution === null ? defaultSize : parseSize(resolution)
  if (whole && aspectRatio === null) return whole
  const shortSide = whole ? Math.min(whole.width, whole.height) : parseResolution(resolution!)
  const ratio = aspectRatio === null ? defaultSize.width / defaultSize.height : parseAspectRatio(aspectRatio)
  if (shortSide === null) throw invalidSize(`metadata.resolution is ${show(resolution)}: write it as "720p"`)
  if (ratio === null) throw invalidSize(`metadata.aspect_ratio is ${show(aspectRatio)}: write it as "16:9"`)
  return sizeOf(shortSide, ratio)
}

/** Reads a word in the metadata, otherwise in the body. Both are checked. */
function readWord(
  name: 'resolution' | 'aspect_ratio',
  example: string,
  body: JsonObject,
  metadata: JsonObject,
): string | null {
  const takesNumber = name === 'resolution'
  for (const value of [metadata[name], body[name]])
    if (isGiven(value) && typeof value !== 'string' && !(takesNumber && Number.isInteger(value)))
      throw invalidSize(`metadata.${name} must be a string: write it as ${example}`)
  const value = metadata[name] ?? body[name]
  return !isGiven(value) || value === 'auto' || value === 'adaptive' ? null : String(value)
}

/** @assumed §4.1 the kinds of requests are undocumented; wire §3.2 `action`. */
function actionOf(body: JsonObject, images: readonly RequestImage[]): string {
  if (images.length === 0) return 'textGenerate'
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

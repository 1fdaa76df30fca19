import type { Size } from '../../media/raster/raster.ts'
import { quote, truncate } from '../../engine/wording.ts'
import { kindsOf, requireModelName } from '../models/catalog.ts'
import { DurationError } from '../../engine/clock/duration.ts'
import { abortError, taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { AudioOption } from '../../media/spec.ts'
import { readTaskDirectives, type DirectedPrompt } from '../../scenario/directives.ts'
import { sizeProblem, type VideoBody } from './form.ts'
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
} from '../../media/size.ts'

/** The length and the size of a clip. */
interface RenderedVideo extends Size {
  readonly seconds: number
}

/** A valid video request. */
export interface VideoRequest {
  readonly model: string
  readonly directed: DirectedPrompt
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
 * Checks a submission (§4.1) whose fields were read, in the gateway's order: the model, the prompt, the rest.
 *
 * @assumed §4.1 all fields but model, prompt and image are undocumented; wire §3.1.
 * @throws {GatewayError} in the envelope of the part of the gateway that refuses.
 */
export function readVideoRequest(
  fields: VideoBody,
  images: readonly RequestImage[],
  settings: VideoSettings,
): VideoRequest {
  const model = findModel(fields.model, settings)
  const { metadata: { seed } = {} } = fields
  const directed = readPrompt(fields.prompt, settings)
  for (const image of images) if ('refused' in image) throw invalid(image.refused)
  if (images.length > 0 && model.image === false) throw invalid(`model ${model.name} does not take an image`)
  const seconds = readSeconds(fields, model, settings)
  const size = readSize(fields, model, settings)
  const { width, height } = fitSize(size, settings.rendered)
  const rendered = { width, height, seconds: Math.min(seconds, settings.rendered.seconds) }
  return {
    model: model.name,
    audio: model.audio ?? settings.audio,
    directed,
    seconds,
    size,
    rendered,
    advice: adviceOf(fields, { seconds, ...size }, rendered),
    images: images.filter((image) => 'digest' in image || 'url' in image),
    unavailable: images.find((image) => 'unavailable' in image)?.unavailable,
    seed: typeof seed === 'number' || typeof seed === 'string' ? truncate(String(seed), 100) : undefined,
    action: actionOf(fields, images),
  }
}

function adviceOf(
  { duration, seconds }: VideoBody,
  video: RenderedVideo,
  rendered: RenderedVideo,
): string | undefined {
  const advice: string[] = []
  const [field, value] =
    duration !== undefined && duration !== '' ? ['duration', duration] : ['seconds', seconds]
  if (value !== undefined && value !== '' && toSeconds(value) === 0 && !(field === 'duration' && seconds)) {
    const why =
      Number(value) === 0 ? 'which stands for the default' : 'which is no whole number and is ignored'
    advice.push(`${field} is ${quote(value)}, ${why}: the video has ${video.seconds} s.`)
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

/**
 * Finds the model of a request, before the rest is read.
 *
 * @throws {GatewayError} for a missing or unknown one.
 * @assumed §7 the answers to a missing or unknown model are undocumented; wire §2.2.
 */
export function findModel(field: JsonValue | undefined, { models }: VideoSettings): ModelSettings {
  const value = requireModelName(field)
  if (models.length === 0) return { name: value }
  const makers = models.filter(({ name, kind }) => kindsOf(name, kind).includes('video'))
  const known = makers.find(({ name }) => name === value)
  if (known) return known
  const message = `No available channel for model ${value.slice(0, 200)} under group default (distributor)`
  const names = makers.map(({ name }) => name).join(', ')
  throw abortError(503, message, 'model_not_found').withHint(`The configured models are: ${names}.`)
}

function readPrompt(prompt: string, settings: VideoSettings): DirectedPrompt {
  const limit = settings.promptLimitCharacters
  if (prompt.length > limit)
    throw invalid(`prompt is too long: ${prompt.length} characters, at most ${limit}`)
  if (!settings.promptDirectives) return { prompt, shape: {} }
  try {
    return readTaskDirectives(prompt)
  } catch (error) {
    if (error instanceof DurationError) throw invalid(error.message)
    throw error
  }
}

/** The default length of a request. */
function defaultSecondsOf(model: ModelSettings, { seconds }: VideoSettings): number {
  return model.seconds?.includes(seconds.default) === false ? model.seconds[0]! : seconds.default
}

function readSeconds(body: VideoBody, model: ModelSettings, settings: VideoSettings): number {
  const { seconds } = settings
  const [duration, inSeconds] = [toSeconds(body.duration), toSeconds(body.seconds)]
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

/** An integer or a numeric text. Other texts are ignored. @assumed §4.1 a length of 0 is undocumented; wire §3.1: it means the default. */
function toSeconds(value: string | number | undefined = 0): number {
  if (typeof value === 'number') return value
  return /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : 0
}

function readSize(body: VideoBody, model: ModelSettings, settings: VideoSettings): Size {
  const given = readGivenSize(body, settings)
  const size = evenSize(given ?? parseSize(model.sizes?.[0] ?? settings.size.default)!)
  const { min, max } = settings.size
  const { width, height } = given ?? size
  if (!(Math.min(width, height) >= min && Math.max(width, height) <= max)) {
    const named = body.size === undefined ? `${size.width}x${size.height}` : truncate(body.size, 60)
    throw invalidSize(`size must have sides from ${min} to ${max} pixels, not ${named}`)
  }
  const name = `${size.width}x${size.height}`
  const known = model.sizes?.map((text) => evenSize(parseSize(text)!))
  if (known?.some(({ width, height }) => name === `${width}x${height}`) === false)
    throw invalidSize(`${model.name} size is invalid`)
  return size
}

function readGivenSize(body: VideoBody, settings: VideoSettings): Size | null {
  const defaultSize = parseSize(settings.size.default)!
  if (body.size) {
    const size = parseAnySize(body.size, defaultSize)
    if (size) return size
    throw invalidSize(sizeProblem(body.size))
  }
  const resolution = readWord(body.metadata?.resolution ?? body.resolution)
  const aspectRatio = readWord(body.metadata?.aspect_ratio ?? body.aspect_ratio)
  if (resolution === null && aspectRatio === null) return null

  const whole = resolution === null ? defaultSize : parseSize(resolution)
  if (whole && aspectRatio === null) return whole
  const shortSide = whole ? Math.min(whole.width, whole.height) : parseResolution(resolution!)
  const ratio = aspectRatio === null ? defaultSize.width / defaultSize.height : parseAspectRatio(aspectRatio)
  if (shortSide === null) throw invalidSize(`metadata.resolution is ${quote(resolution)}: write it as "720p"`)
  if (ratio === null) throw invalidSize(`metadata.aspect_ratio is ${quote(aspectRatio)}: write it as "16:9"`)
  return sizeOf(shortSide, ratio)
}

/** The word as text; null if it leaves the choice to the gateway. */
function readWord(value: string | number = ''): string | null {
  return value === '' || value === 'auto' || value === 'adaptive' ? null : String(value)
}

/** @assumed §4.1 the kinds of requests are undocumented; wire §3.2 `action`. */
function actionOf({ images: given }: VideoBody, images: readonly RequestImage[]): string {
  if (images.length === 0) return 'textGenerate'
  const count = Array.isArray(given) ? given.length : 1
  return count === 2 ? 'firstTailGenerate' : count > 2 ? 'referenceGenerate' : 'generate'
}

function invalid(message: string): GatewayError {
  return taskError(400, 'invalid_request', message)
}

function invalidSize(message: string): GatewayError {
  return taskError(400, 'invalid_size', message)
}

import { quote, truncate } from '../../../engine/wording.ts'
import { DurationError } from '../../../engine/clock/duration.ts'
import { abortError } from '../../../gateway/replies/errors.ts'
import type { Size } from '../../../media/raster/raster.ts'
import {
  evenSize,
  fitSize,
  parseAnySize,
  parseAspectRatio,
  parseResolution,
  parseSize,
  sizeOf,
} from '../../../media/size.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { readTaskDirectives, type DirectedPrompt } from '../../../scenario/directives.ts'
import { kindsOfModel, requireModelName } from '../../define/catalog.ts'
import type { JobRequest } from '../kit/call.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import type { ReadJob, RenderedClip } from '../job/record.ts'
import { Refused } from '../kit/refused.ts'
import type { JobModel, JobSettings } from './settings.ts'

type Names = NonNullable<JobRequest['names']>
const ownNames: Names = {}

/** What a definition says of the requests of its jobs. */
export interface RequestLimits {
  readonly defaultSize: string
  readonly sizesOf: ((model: string) => readonly string[] | undefined) | undefined
}

/**
 * Checks what a job is to make, in the gateway's order: the model, the prompt, the images, the length, the size.
 *
 * @assumed §4.1 all fields but model, prompt and image are undocumented; wire §3.1.
 * @throws {GatewayError} {Refused}
 */
export function readJob(
  job: JobRequest,
  images: readonly RequestPhoto[],
  settings: JobSettings,
  limits: RequestLimits,
): ReadJob {
  const names = job.names ?? ownNames
  const { seconds: secondsName = 'seconds' } = names
  const model = findModel(job.model, settings)
  const directed = readPrompt(job.prompt, settings)
  const photos = usablePhotos(images, model)
  const seconds = readSeconds(job.seconds, model, settings, secondsName)
  const size = readSize(job, model, settings, limits)
  const { width, height } = fitSize(size, settings.rendered)
  const rendered = { width, height, seconds: Math.min(seconds, settings.rendered.seconds) }
  return {
    model: model.name,
    audio: settings.audio,
    directed,
    seconds,
    size,
    rendered,
    advice: adviceOf(job.seconds, secondsName, { seconds, ...size }, rendered),
    images: photos,
    seed: seedOf(job),
    action: job.action ?? '',
  }
}

/** The fields that a job takes from the job that it is like. */
export type OldJob = Pick<ReadJob, 'model' | 'seed' | 'seconds' | 'size' | 'rendered' | 'images'>

/** The request of a job that is like another one: only its prompt is new. */
export function readLike(job: JobRequest, old: OldJob, settings: JobSettings): ReadJob {
  return {
    ...old,
    audio: settings.audio,
    directed: readPrompt(job.prompt, settings),
    advice: undefined,
    action: job.action ?? '',
  }
}

function seedOf({ seed }: JobRequest): string | undefined {
  return seed === undefined ? undefined : truncate(String(seed), 100)
}

function usablePhotos(images: readonly RequestPhoto[], { name, image }: JobModel): Photo[] {
  for (const each of images) if ('refused' in each) throw new Refused(each.refused)
  if (images.length > 0 && image === false) throw new Refused(`model ${name} does not take an image`)
  return images.filter((each): each is Photo => !('refused' in each))
}

function adviceOf(
  given: number | string | undefined,
  field: string,
  video: RenderedClip,
  rendered: RenderedClip,
): string | undefined {
  const advice: string[] = []
  if (given !== undefined && given !== '' && toSeconds(given) === 0) {
    const why =
      Number(given) === 0 ? 'which stands for the default' : 'which is no whole number and is ignored'
    advice.push(`${field} is ${quote(given)}, ${why}: the video has ${video.seconds} s.`)
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
export function findModel(field: unknown, { models }: JobSettings, prefix?: string): JobModel {
  const value = requireModelName(field as string | undefined)
  if (models.length === 0) return { name: value }
  const makers = models.filter(({ name, kind }) =>
    prefix === undefined ? kindsOfModel(name, kind).includes('video') : name.startsWith(prefix),
  )
  if (prefix !== undefined && makers.length === 0) return { name: value }
  const known = makers.find(({ name }) => name === value)
  if (known) return known
  const message = `No available channel for model ${value.slice(0, 200)} under group default (distributor)`
  const names = makers.map(({ name }) => name).join(', ')
  throw abortError(503, message, 'model_not_found').withHint(`The configured models are: ${names}.`)
}

function readPrompt(prompt: string, settings: JobSettings): DirectedPrompt {
  if (!/\S/.test(prompt)) throw new Refused('prompt is required')
  const limit = settings.promptLimitCharacters
  if (prompt.length > limit)
    throw new Refused(`prompt is too long: ${prompt.length} characters, at most ${limit}`)
  if (!settings.promptDirectives) return { prompt, shape: {} }
  try {
    return readTaskDirectives(prompt)
  } catch (error) {
    if (error instanceof DurationError) throw new Refused(error.message)
    throw error
  }
}

/** The default length of a request. */
function defaultSecondsOf(model: JobModel, { seconds }: JobSettings): number {
  return model.seconds?.includes(seconds.default) === false ? model.seconds[0]! : seconds.default
}

function readSeconds(
  given: number | string | undefined,
  model: JobModel,
  settings: JobSettings,
  field: string,
): number {
  const { min, max } = settings.seconds
  const length = toSeconds(given) || defaultSecondsOf(model, settings)
  if (!Number.isInteger(length)) throw new Refused(`field ${field} must be a whole number of seconds`)
  if (length < min || length > max) {
    const message = `seconds must be between ${min} and ${max}`
    const value = JSON.stringify(given ?? length).slice(0, 40)
    throw new Refused(message, 'invalidSeconds', `${field} is ${value}: ${message}.`)
  }
  if (model.seconds && !model.seconds.includes(length)) {
    const known = model.seconds.join(', ')
    throw new Refused(`model ${model.name} makes clips of ${known} seconds, not ${length}`, 'invalidSeconds')
  }
  return length
}

/** An integer or a numeric text. Other texts are ignored. @assumed §4.1 a length of 0 is undocumented; wire §3.1: it means the default. */
export function toSeconds(value: string | number | undefined = 0): number {
  if (typeof value === 'number') return value
  return /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : 0
}

function readSize(
  job: JobRequest,
  model: JobModel,
  settings: JobSettings,
  { defaultSize, sizesOf }: RequestLimits,
): Size {
  const given = readGivenSize(job, settings)
  const size = evenSize(given ?? parseSize(model.sizes?.[0] ?? defaultSize)!)
  const { min, max } = settings.size
  const { width, height } = given ?? size
  const name = `${size.width}x${size.height}`
  if (!(Math.min(width, height) >= min && Math.max(width, height) <= max)) {
    const named = job.size === undefined ? name : truncate(job.size, 60)
    throw new Refused(`size must have sides from ${min} to ${max} pixels, not ${named}`, 'invalidSize')
  }
  const known = model.sizes?.map((text) => evenSize(parseSize(text)!))
  if (known?.some(({ width, height }) => name === `${width}x${height}`) === false)
    throw new Refused(`${model.name} size is invalid`, 'invalidSize')
  const taken = sizesOf?.(model.name)
  if (taken?.includes(name) === false)
    throw new Refused(`${model.name} size is invalid`, 'invalidSize', `Use ${taken.join(', ')}.`)
  return size
}

function readGivenSize(job: JobRequest, settings: JobSettings): Size | null {
  const { names = ownNames } = job
  const defaultSize = parseSize(settings.size.default)!
  if (job.size) {
    const size = parseAnySize(job.size, defaultSize)
    if (size) return size
    throw new Refused(sizeProblem(job.size), 'invalidSize')
  }
  const resolution = readWord(job.resolution)
  const aspectRatio = readWord(job.aspectRatio)
  if (resolution === null && aspectRatio === null) return null

  const whole = resolution === null ? defaultSize : parseSize(resolution)
  if (whole && aspectRatio === null) return whole
  const shortSide = whole ? Math.min(whole.width, whole.height) : parseResolution(resolution!)
  const ratio = aspectRatio === null ? defaultSize.width / defaultSize.height : parseAspectRatio(aspectRatio)
  const refuse = (field: string, value: unknown, like: string): Refused =>
    new Refused(`${field} is ${quote(value)}: write it as "${like}"`, 'invalidSize')
  if (shortSide === null) throw refuse(names.resolution ?? 'resolution', resolution, '720p')
  if (ratio === null) throw refuse(names.aspectRatio ?? 'aspectRatio', aspectRatio, '16:9')
  return sizeOf(shortSide, ratio)
}

/** Why a size is refused. */
export function sizeProblem(value: unknown): string {
  const forms = 'WIDTHxHEIGHT in pixels, a resolution such as 1080p, or an aspect ratio such as 16:9'
  return `size must be ${forms}, not ${quote(value)}`
}

/** The word as text; null if it leaves the choice to the gateway. */
function readWord(value: string | number = ''): string | null {
  return value === '' || value === 'auto' || value === 'adaptive' ? null : String(value)
}

import { allowedHosts } from '../../scenario/options.ts'
import type { ApiDeps } from '../define/operation.ts'
import { videoSettings } from '../video/settings.ts'
import { isDrawing } from './result.ts'
import type { Workers } from '../../engine/tasks/workers.ts'
import type { Quality } from '../../media/spec.ts'
import type { TimingOptions } from '../../scenario/vocabulary/types.ts'

/** The settings of the drawing API. */
export interface DrawingSettings {
  /** The billing names of the models, such as `mj_imagine`; all by default. */
  readonly models: readonly string[] | undefined
  /** The timing of tasks by billing name. By default, it depends on their mode. */
  readonly timing: TimingOptions | undefined
  /** Whether directives in a prompt take effect, such as `[[stuck]]`. */
  readonly promptDirectives: boolean
  readonly promptLimitCharacters: number
  readonly imageLimitBytes: number
  /** The quality of videos. */
  readonly quality: Quality
  readonly framesPerSecond: Readonly<Record<Quality, number>>
  /** Whether `accountFilter` takes effect. By default, the gateway removes it. */
  readonly accountFilter: boolean
  /** Whether `notifyHook` takes effect, and which hosts it may name besides this machine. False removes it. */
  readonly notifyHook: false | { readonly allow: readonly string[] }
  /** Words that are refused in prompts. */
  readonly bannedWords: readonly string[]
}

/** The length of a queue, and the number of its workers. */
export interface DrawingQueue {
  readonly workers: Workers
  readonly running: number
  readonly waiting: number
}

/** The settings of the drawing API, which shares limits and clip settings with video. */
export function drawingSettings({ options: { drawing = {}, ...options }, use }: ApiDeps): DrawingSettings {
  const video = use(videoSettings)
  const offered = (options.models ?? [])
    .map(({ name }) => name)
    .filter((name) => /^(?:mj_|swap_face$)/.test(name))
  const notifyHook = allowedHosts(drawing.notifyHook ?? false)
  return {
    models: offered.length === 0 ? undefined : offered,
    timing: options.timing,
    promptDirectives: video.promptDirectives,
    promptLimitCharacters: video.promptLimitCharacters,
    imageLimitBytes: video.imageLimitBytes,
    quality: video.quality,
    framesPerSecond: video.framesPerSecond,
    accountFilter: drawing.accountFilter ?? false,
    notifyHook: notifyHook === true ? { allow: [] } : notifyHook,
    bannedWords: (drawing.bannedWords ?? []).filter((word) => word !== ''),
  }
}

/** The queue of a simulator; undefined if it is not bounded. */
export function drawingQueue({ options: { drawing }, createWorkers }: ApiDeps): DrawingQueue | undefined {
  const queue = drawing?.queue
  return queue && { ...queue, workers: createWorkers({ workers: queue.running, concerns: isDrawing }) }
}

/**
 * Whether a URL may be called when a task changes: it must name this machine directly, or an allowed host. Other names that
 * resolve to this machine are refused, because they may later resolve to another one.
 *
 * @assumed §6 callbacks are undocumented; wire §7.9 proposes loopback targets only.
 * @param allow host names or IP addresses, without port.
 */
export function isHookAllowed(address: string, allow: readonly string[]): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username } = new URL(address)
  if (!/^https?:$/.test(protocol) || username !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    allow.some((name) => name.toLowerCase() === host)
  )
}

/** The same, for a setting that may be off. */
export function mayReport(address: string, setting: false | { readonly allow: readonly string[] }): boolean {
  return setting !== false && isHookAllowed(address, setting.allow)
}

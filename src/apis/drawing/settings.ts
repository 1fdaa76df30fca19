import type { Quirks } from '../../gateway/quirks.ts'
import type { Quality } from '../../media/spec.ts'
import type { TimingOptions } from '../video/pace.ts'

/** What the drawing surface can be told. */
export interface DrawingSettings {
  /** The billing names that are offered, such as `mj_imagine`; without it, all. */
  readonly models: readonly string[] | undefined
  /** How long tasks take, by billing name; without it, as their mode says. */
  readonly timing: TimingOptions | undefined
  /** Whether directives such as `[[stuck]]` in a prompt are obeyed. */
  readonly promptDirectives: boolean
  readonly promptLimitCharacters: number
  readonly imageLimitBytes: number
  /** Of films. */
  readonly quality: Quality
  readonly framesPerSecond: Readonly<Record<Quality, number>>
  /** Whether `accountFilter` is taken, which the gateway strips by default. */
  readonly accountFilter: boolean
  /** Whether `notifyHook` is taken, and which hosts it may name beside this machine; false strips it. */
  readonly notifyHook: false | { readonly allow: readonly string[] }
  /** Whether the calls of the stand-alone proxies are offered: list, queue, cancel. */
  readonly proxyCalls: boolean
  /** Words that no prompt may have. */
  readonly bannedWords: readonly string[]
  readonly quirks: Pick<Quirks, 'drawingContentType' | 'unknownButtons'>
}

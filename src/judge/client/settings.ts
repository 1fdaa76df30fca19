import { parseDuration } from '../../engine/clock/duration.ts'
import type { DriveStep, Flow, Verification } from '../../scenario/vocabulary/types.ts'

/** A step with its defaults, durations in milliseconds. */
export interface Settings {
  readonly flow: Flow
  readonly model: string
  readonly prompt: string
  readonly n: number
  readonly submitTogether: boolean
  readonly pollEveryMs: number
  readonly giveUpAfterMs: number
  /** How long it waits for a response, or for the next byte of one. */
  readonly timeoutMs: number
  readonly retries: number
  readonly download: boolean
  readonly verify: Verification
  readonly actions: readonly string[]
  /** Length and size of a video, as the request spells them. */
  readonly shape: Readonly<Record<string, unknown>>
}

/**
 * Applies defaults to a step. Five seconds between polls are the lower bound that the gateway recommends (§4.2).
 * @throws {DurationError} for an invalid duration.
 */
export function resolveSettings(step: DriveStep): Settings {
  const { flow, prompt = 'a paper boat in the rain', n = 1, submitTogether = false } = step
  const { retries = 5, download = true, verify = 'etag', actions = [], seconds, size } = step
  return {
    flow,
    model: step.model ?? (/video/.test(flow) ? 'video-1' : 'sim-text-1'),
    prompt,
    n,
    submitTogether,
    pollEveryMs: parseDuration(step.pollEvery ?? '5s'),
    giveUpAfterMs: parseDuration(step.giveUpAfter ?? '10m'),
    timeoutMs: 60_000,
    retries,
    download,
    verify,
    actions,
    shape: {
      ...(size === undefined ? {} : { size }),
      ...(seconds === undefined ? {} : { seconds: String(seconds) }),
    },
  }
}

/** Each task needs its own prompt: equal requests would look like one request that was sent twice. */
export function promptAt({ prompt }: Settings, index: number): string {
  return index === 0 ? prompt : `${prompt}, take ${index + 1}`
}

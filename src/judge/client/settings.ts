import { parseDuration } from '../../engine/clock/duration.ts'
import type { DriveStep, Flow, Verification } from '../../scenario/drive.ts'

/** A step with everything decided, its durations in milliseconds. */
export interface Settings {
  readonly flow: Flow
  readonly model: string
  readonly prompt: string
  readonly n: number
  readonly submitTogether: boolean
  readonly pollEveryMs: number
  readonly giveUpAfterMs: number
  /** How long it waits for an answer, or for the next byte of one. */
  readonly timeoutMs: number
  readonly retries: number
  readonly download: boolean
  readonly verify: Verification
  readonly actions: readonly string[]
  /** Length and size of a video, as its dialect writes them. */
  readonly shape: Readonly<Record<string, unknown>>
}

/**
 * Fills in what a step leaves open. Five seconds between polls are the shorter end of what the gateway asks for (§4.2).
 * @throws {DurationError} for a time that can't be read.
 */
export function settingsOf(step: DriveStep): Settings {
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

/** What the so-manieth of several asks for: equal requests would be taken for one that was sent twice. */
export function promptOf({ prompt }: Settings, index: number): string {
  return index === 0 ? prompt : `${prompt}, take ${index + 1}`
}

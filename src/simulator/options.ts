import { bytesOf, caps } from '../engine/caps.ts'
import { isDefinitionError } from '../engine/operations/own-api.ts'
import type { ClockOptions, ConfigFile, GatewayOptions } from '../scenario/vocabulary/types.ts'
import { clockMapping, type ClockMode } from '../engine/clock/clock-settings.ts'
import type { MediaSource } from '../media/source.ts'

/**
 * The options of a simulator. The config file has the same keys, except functions and objects.
 *
 * @example
 * const options: SimulatorOptions = {
 *   seed: 7,
 *   timing: 'realistic',
 *   keys: ['sk-rich', { key: 'sk-poor', balance: 0.01 }],
 *   throttles: [{ match: { op: 'video.submit' }, concurrent: 2 }],
 *   rules: [{ match: { op: 'video.poll' }, chance: '10%', fault: 'reset' }],
 * }
 * await using sim = createSimulator(options)
 */
export interface SimulatorOptions extends GatewayOptions {
  /** How time moves, and its first instant. Default: `auto` when embedded, `real` on a port. */
  clock?: ClockMode | ClockOptions
  /** The source of media. By default, sharp and an encoder process. */
  media?: MediaSource
  /** Called with each warning and internal error, as one line. By default, internal errors go to `console.error`. */
  onWarning?: (message: string) => void
  /**
   * Delivers a callback to your program, instead of `fetch`. A test needs no socket then:
   * `deliver: (request) => app.fetch(request)`.
   */
  deliver?: (request: Request) => Response | Promise<Response>
}

/**
 * Gives a config file in TypeScript its types.
 *
 * @param config the content of the file.
 * @returns the same config.
 *
 * @example
 * export default defineConfig({ port: 4700, keys: ['sk-mine'], video: { seconds: { default: 5, max: 10 } } })
 */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config
}

/** The options of the media source. */
export function mediaOptions({ limits, onWarning }: SimulatorOptions): {
  imageBytes: number
  onWarning: ((message: string) => void) | undefined
} {
  return { imageBytes: bytesOf(limits?.imageMegabytes, caps.imageBytes), onWarning }
}

/** The clock options with a mode. A rate alone means `scaled`. */
export function clockOptions(
  { clock: given }: SimulatorOptions,
  usual: ClockMode,
): ClockOptions & { mode: ClockMode } {
  const clock = clockMapping(given)
  return { mode: clock?.rate === undefined ? usual : 'scaled', ...clock }
}

/** Prints a warning about a test, which has no other place for it. */
export function printWarning(message: string): void {
  console.warn(`greenroom: ${message}`)
}

/** Prints an internal error of a simulator without `onWarning`. The client only gets a 500. */
export function reportBug(message: string): void {
  if (isDefinitionError(message)) {
    console.error(`greenroom: ${message}`)
    return
  }
  console.error(
    `greenroom: internal error: ${message}. This is a bug in greenroom or in code that you passed to it.`,
  )
}

import { clockOver } from '../../scenario/files/clock-over.ts'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import type { ServerOptions } from '../../server/start.ts'
import { clockOptions, type ClockOptions } from '../../simulator/options.ts'
import type { Config } from '../serve/config.ts'

/**
 * What a server is told so that it plays a scenario: on a free port, unless the file names one, on a clock that moves by
 * itself, with clips that take milliseconds.
 *
 * @param more what was said on the command line; it wins.
 */
export function scenarioOptions(
  { scenario }: LoadedScenario,
  more: Config,
): ServerOptions & { clock: ClockOptions } {
  const { config = {}, seed, clock, throttles = [], rules = [] } = scenario
  const { env: _forCommands, ...options } = config as Config & { env?: unknown }
  const whole = {
    port: 0,
    quality: 'fast',
    ...options,
    ...(seed === undefined ? {} : { seed }),
    ...more,
    clock: clockOptions({ clock: clockOver(clock ?? {}, more.clock ?? {}) }, 'auto'),
    rules,
    throttles,
  } as const
  return whole
}

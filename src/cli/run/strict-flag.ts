import type { Options } from 'yargs'
import type { Terminal } from '../terminal/command.ts'

export const strictFlag: Options = {
  type: 'boolean',
  describe: 'Fail for what could not be judged, too  [default: on where CI is set]',
}

/** Whether a run is strict, and why. */
export interface Strictness {
  readonly isOn: boolean
  /** Whether the command line says so, rather than the environment. */
  readonly isExplicit: boolean
}

/** Reads `--strict` and `--no-strict`. Without either, a run is strict in CI: there nobody reads what passes. */
export function readStrictness(
  flags: Readonly<Record<string, unknown>>,
  { environment }: Pick<Terminal, 'environment'>,
): Strictness {
  const flag = flags['strict']
  if (typeof flag === 'boolean') return { isOn: flag, isExplicit: true }
  return { isOn: isSet(environment['CI']), isExplicit: false }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.trim().toLowerCase())
}

export const strictByEnvironment = 'greenroom: the run is strict because CI is set.'

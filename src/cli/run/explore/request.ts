import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { createSelection, selectorProblem, type SearchOptions } from '../../../judge/explore/index.ts'
import type { Scenario } from '../../../scenario/vocabulary/types.ts'
import { isSameName } from '../../serve/config-reload.ts'
import { type Flags, readText, readTextFlags, type Terminal, UsageError } from '../../terminal/command.ts'
import { readDuration } from '../run-flags.ts'
import { readAcceptedKeys } from './finding-files.ts'

export const defaultOut = 'greenroom-findings'

/** What flags ask of a search, and where its findings go. */
export interface ExploreRequest extends Required<
  Pick<SearchOptions, 'budgetMs' | 'jobs' | 'depth' | 'crash' | 'isSelected' | 'isVirtualTime'>
> {
  readonly out: string
  readonly accepted: readonly string[]
}

/**
 * Prefixes that distinguish the findings of several scenarios: their names, numbered if two are the same. On Windows and
 * macOS, names that differ only in case are the same.
 */
export function toPrefixes(files: readonly string[]): string[] {
  if (files.length < 2) return files.map(() => '')
  const names = files.map((file) => basename(file).replace(/\.\w+$/, ''))
  return names.map((name, index) => {
    const nth = names.slice(0, index + 1).filter((other) => isSameName(other, name)).length
    return `${name}${nth > 1 ? `-${nth}` : ''}-`
  })
}

const maxJobs = 64

/** @throws {UsageError} for a wrong value, and for a selector that selects nothing. */
export async function readExploreRequest(
  { flags, isReference }: { readonly flags: Flags; readonly isReference: boolean },
  scenarios: readonly Scenario[],
  terminal: Terminal,
): Promise<ExploreRequest> {
  const jobs = flags['jobs'] ?? Math.min(maxJobs, availableParallelism())
  if (!Number.isInteger(jobs) || Number(jobs) < 1 || Number(jobs) > maxJobs)
    throw new UsageError(`--jobs is "${String(flags['jobs'])}": write a number from 1 to ${maxJobs}.`)
  const [only, skip] = [readSelectors(flags, 'only', scenarios), readSelectors(flags, 'skip', scenarios)]
  const accept = readText(flags, 'accept')
  return {
    budgetMs: flags['budget'] === undefined ? Infinity : readDuration(flags, 'budget', ''),
    jobs: Number(jobs),
    depth: flags['depth'] === 2 ? 2 : 1,
    crash: flags['crash'] === true,
    // The reference client takes part in the clock, as a command does by --virtual-timers.
    isVirtualTime: flags['virtual-timers'] === true || isReference,
    isSelected: createSelection(only, skip),
    out: readText(flags, 'out') ?? defaultOut,
    accepted: accept === undefined ? [] : await readAcceptedKeys(accept, terminal),
  }
}

/** @throws {UsageError} for a selector that selects nothing. */
function readSelectors(flags: Flags, name: string, scenarios: readonly Scenario[]): string[] {
  const selectors = readTextFlags(flags, name)
  const problem = selectorProblem(selectors, scenarios)
  if (problem !== undefined) throw new UsageError(`--${name} ${problem}`)
  return selectors
}

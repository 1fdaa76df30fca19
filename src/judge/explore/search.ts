import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ArtifactExpectation, Expect, Scenario } from '../../scenario/vocabulary/types.ts'
import { formatTrace, type ClientRun, type RunClient } from './client-run.ts'
import { toFindings, type Finding, type ObservedMistake } from './findings.ts'
import { judgeBaseline, judgeRun, type Baseline, type JudgedRun } from './judge-run.ts'
import { RunGroup, SearchInterruptedError } from './run-group.ts'
import {
  baseline as baselineSchedule,
  listPairs,
  listSingles,
  toScenario,
  type Base,
  type Schedule,
  type Selection,
} from './schedules.ts'
import { hasRepeated, shrinkPair, toRepetition } from './shrink.ts'

export interface SearchOptions {
  /** Real time for everything, in milliseconds. Default 60,000. */
  readonly budgetMs?: number
  /** The number of runs at the same time. Default 1. */
  readonly jobs?: number
  /** 2 also tries pairs of what was survived alone. Default 1. */
  readonly depth?: 1 | 2
  /** Which injections to try. Default: all. */
  readonly isSelected?: Selection
  /** What holds in every run: config, seed, rules behind those of the search. */
  readonly scenario?: Scenario
  /** Whether the client is a command, which reports a failure by its exit code only. */
  readonly hasExitCode?: boolean
  /** Ends the search; what was found stays. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** Where a search stands. */
export interface Progress {
  readonly runs: number
  readonly planned: number
  readonly mistakes: number
  readonly elapsedMs: number
  /** The schedule that was judged last. */
  readonly latest: string
}

/** One schedule with its judgement. */
export interface Cell extends JudgedRun {
  readonly schedule: Schedule
  /** The requests of a run in which the client did something wrong. */
  readonly trace: string
}

/**
 * What a search tried, and what it found.
 *
 * @example
 * const describe = ({ findings, score }: Exploration): string => `${findings.length} findings, score ${score}`
 */
export interface Exploration {
  readonly baseline: ClientRun
  readonly isComparable: boolean
  /** In the order of the schedules, whatever order they ran in. */
  readonly cells: readonly Cell[]
  readonly findings: readonly Finding[]
  /** Of each finding, by its key: the run that showed it again, or did not. Empty after an interrupt. */
  readonly repetitions: ReadonlyMap<string, ClientRun>
  /** Schedules that the budget or an interrupt left out. */
  readonly left: readonly Schedule[]
  readonly elapsedMs: number
  /** 0 to 100: see {@link scoreOf}. */
  readonly score: number
  /** What the scenarios were made from. */
  readonly base: Base
}

const lenient: Expect = { allow: { notExercised: true, unusedRules: true, unmatched: true } }

/**
 * Searches for what a client does wrong: runs it once without a fault, then with one fault at each place, then with pairs.
 * Schedules, cells and findings come in the same order for the same baseline run, whatever `jobs` is.
 * @throws {SearchInterruptedError} for an interrupt during the baseline run; an Error for a run that can't be made.
 */
export async function explore(run: RunClient, options: SearchOptions = {}): Promise<Exploration> {
  const group = new RunGroup(run, options.signal)
  return search(group, options).finally(() => group.close())
}

async function search(group: RunGroup, options: SearchOptions): Promise<Exploration> {
  const { budgetMs = 60_000, depth = 1, jobs = 1, isSelected = () => true, onProgress } = options
  const startMs = hostTimers.elapsedMs()
  const elapsed = (): number => hostTimers.elapsedMs() - startMs
  const isOver = (): boolean => elapsed() > budgetMs
  const { base, baseline } = await runBaseline(group, options)
  const first = judgeBaseline(baseline)
  const mistakes: ObservedMistake[] = first.map((mistake) => ({
    ...mistake,
    schedule: baselineSchedule,
    trace: formatTrace(baseline.run),
  }))
  const cells: Cell[] = []

  const runSchedule = async (schedule: Schedule, onIdle?: () => void): Promise<Cell | undefined> => {
    const of = await group.run(toScenario(schedule, base), {
      injected: schedule.name,
      ...(onIdle && { onIdle }),
    })
    if (!of) return undefined
    const judged = judgeRun(schedule, of, baseline)
    return { schedule, ...judged, trace: judged.mistakes.length > 0 ? formatTrace(of) : '' }
  }
  let planned = 0
  let found = mistakes.length
  let runs = 0
  /** @returns the schedules that were left out. */
  const runAll = async (schedules: readonly Schedule[]): Promise<readonly Schedule[]> => {
    planned += schedules.length
    const done = await group.runInOrder(schedules, { jobs, isOver }, async (schedule, onIdle) => {
      const cell = await runSchedule(schedule, onIdle)
      if (!cell) return undefined
      found += cell.mistakes.length
      const latest = schedule.name
      onProgress?.({ runs: ++runs, planned, mistakes: found, elapsedMs: elapsed(), latest })
      return cell
    })
    cells.push(...done)
    for (const { schedule, trace, mistakes: observed } of done)
      mistakes.push(...observed.map((mistake) => ({ ...mistake, schedule, trace })))
    const tried = new Set(done.map(({ schedule }) => schedule))
    return schedules.filter((schedule) => !tried.has(schedule))
  }

  const canExplore = baseline.run.ended === 'succeeded'
  let left = canExplore ? await runAll(listSingles(baseline.run.exchanges, isSelected)) : []
  if (canExplore && depth === 2 && left.length === 0) {
    const survived = cells
      .filter(({ state, schedule }) => schedule.parts.length === 1 && isGood(state))
      .map(({ schedule }) => schedule.parts[0]!)
    left = await runAll(listPairs(survived))
  }
  const shrunk: Finding[] = []
  for (const finding of toFindings(mistakes)) {
    if (finding.schedule.parts.length < 2) shrunk.push(finding)
    else shrunk.push(await shrinkPair(finding, runSchedule))
  }
  const repetitions = new Map<string, ClientRun>()
  await group.runInOrder(shrunk, { jobs }, async (finding, onIdle) => {
    const scenario = toRepetition(finding, { baseline: baseline.run, base })
    const of = await group.run(scenario, { injected: finding.schedule.name, onIdle, isRepetition: true })
    if (of) repetitions.set(finding.key, of)
    return of
  })
  const findings = shrunk.map((finding): Finding => {
    const of = repetitions.get(finding.key)
    return of ? { ...finding, isFlaky: !hasRepeated(finding, of, baseline) } : finding
  })
  return {
    baseline: baseline.run,
    isComparable: baseline.isComparable,
    cells,
    findings,
    repetitions,
    left,
    elapsedMs: elapsed(),
    score: scoreOf(cells),
    base,
  }
}

const isGood = (state: Cell['state']): boolean => state === 'survived' || state === 'reported'

/**
 * The share of injections that a client survived or reported, in percent: the mean over the families, so that a score
 * doesn't depend on how many requests a run makes, or how many injections a family has. 100 only if all were.
 */
export function scoreOf(cells: readonly Cell[]): number {
  const families = new Map<string, { good: number; all: number }>()
  for (const { schedule, state } of cells) {
    const [part, ...others] = schedule.parts
    if (!part || others.length > 0 || state === 'not reached') continue
    const family = families.get(part.injection.family) ?? { good: 0, all: 0 }
    families.set(part.injection.family, family)
    family.all++
    if (isGood(state) || state === 'resubmitted') family.good++
  }
  const shares = [...families.values()].map(({ good, all }) => good / all)
  return Math.floor((100 * shares.reduce((sum, share) => sum + share, 0)) / Math.max(1, shares.length))
}

/** Runs the client twice: what differs by itself can't be compared. */
async function runBaseline(
  group: RunGroup,
  { scenario = { version: 1 }, hasExitCode = false }: SearchOptions,
): Promise<{ base: Base; baseline: Baseline }> {
  const play = async (base: Base, isRepetition = false): Promise<ClientRun> => {
    const of = await group.run(toScenario(baselineSchedule, base), { isRepetition })
    if (of) return of
    throw new SearchInterruptedError('Interrupted before the client had run without a fault')
  }
  const withText: Base = { scenario, hasSameText: true, expect: lenient }
  const first = await play(withText)
  // A client that asks for JSON can't use our text.
  const isTextBad =
    first.ended === 'failed' && first.exchanges.some(({ rules }) => rules.includes('same-text'))
  const text = isTextBad ? { ...withText, hasSameText: false } : withText
  const channels = new Set(first.verdict.tasks.map(({ channel }) => channel))
  const artifacts = [...channels].map((channel) => ({ channel, downloaded: 'intact' }) as ArtifactExpectation)
  const base: Base = { ...text, expect: { ...lenient, artifacts } }
  const second = first.ended === 'succeeded' || isTextBad ? await play(base, true) : first
  const isComparable = !isTextBad && first.result === second.result
  return { base, baseline: { run: second, isComparable, hasExitCode } }
}

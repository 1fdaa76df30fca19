import { explainNothingAccepted } from '../nothing-accepted.ts'
import { formatTrace, type ClientRun, type RunClient } from '../runs/client-run.ts'
import { runBaseline, type BaselineOptions } from './baseline.ts'
import { repeatAlone, repeatMistakes, type RepeatOptions, shrinkPair } from './confirm.ts'
import { toFindings, type Finding } from './findings.ts'
import type { ObservedMistake, RepeatedMistake } from './mistakes.ts'
import { crashInjections, injections } from '../runs/injections.ts'
import { judgeBaseline, judgeRun, type JudgedRun } from './judge-run.ts'
import { orderForBudget } from '../runs/budget-order.ts'
import type { Baseline } from '../runs/run-context.ts'
import { ProgressMeter, type Progress } from './progress.ts'
import { RunGroup } from './run-group.ts'
import {
  baseline as baselineSchedule,
  createSelection,
  listPairs,
  listSingles,
  startSilenceFirst,
  scenarioOfSchedule,
  type Base,
  type Schedule,
  type Selection,
  variantFamily,
  variantsFor,
} from '../runs/schedules.ts'

export interface SearchOptions extends BaselineOptions {
  /** The real time in which runs may begin, in milliseconds. Default: no limit. */
  readonly budgetMs?: number
  /** The number of runs at the same time. Default 1. */
  readonly jobs?: number
  /** 2 also tries pairs of injections that the client survived one by one. Default 1. */
  readonly depth?: 1 | 2
  /** Whether the client also crashes, and is started again. Default false. */
  readonly crash?: boolean
  /** Which injections to try. Default: all. */
  readonly isSelected?: Selection
  /** Ends the search. Its findings are still returned. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** One schedule with its verdict. */
export interface Cell extends JudgedRun {
  readonly schedule: Schedule
  /** The requests of a run with a mistake. */
  readonly trace: string
}

/**
 * The result of a search: the schedules and the findings.
 *
 * @example
 * const describe = ({ findings, score }: Exploration): string => `${findings.length} findings, score ${score}`
 */
export interface Exploration {
  readonly baseline: ClientRun
  readonly isComparable: boolean
  /** Whether the first of the two baseline runs sent requests and the second none, as a client with a cache does. */
  readonly sentOnlyOnce: boolean
  /** In the order of the schedules, whatever order they ran in. */
  readonly cells: readonly Cell[]
  readonly findings: readonly Finding[]
  /** The second run of each finding, by its key. Empty after an interrupt. */
  readonly repetitions: ReadonlyMap<string, ClientRun>
  /** Schedules that were not tried because of the budget or an interrupt. */
  readonly left: readonly Schedule[]
  /** How often the client ran in that time: without a fault, for each of the cells, and again for mistakes. */
  readonly plays: number
  readonly elapsedMs: number
  /** 0 to 100, see {@link scoreOf}; null if not everything was tried, or nothing. */
  readonly score: number | null
  /** The base of the scenarios. */
  readonly base: Base
}

/**
 * Searches a client for bugs: runs it once without a fault, then with one fault at each place, then with pairs. For the
 * same baseline run, the order of schedules, cells and findings is the same, whatever `jobs` is.
 * @throws {SearchInterruptedError} for an interrupt during the baseline run; an Error for a run that can't start.
 */
export async function explore(run: RunClient, options: SearchOptions = {}): Promise<Exploration> {
  const group = new RunGroup(run, options.signal)
  return search(group, options).finally(() => group.close())
}

async function search(group: RunGroup, options: SearchOptions): Promise<Exploration> {
  const {
    budgetMs = Infinity,
    depth = 1,
    crash = false,
    jobs = 1,
    isSelected = createSelection([], []),
    onProgress,
  } = options
  const meter = new ProgressMeter(onProgress, budgetMs, jobs)
  try {
    const { base, baseline, sentOnlyOnce } = await runBaseline(group, options)
    meter.countBaseline(group.plays)
    const repeating = { baseline, base, jobs, meter }
    const cells: Cell[] = []
    /** @returns the schedules that were not tried. */
    const runAll = async (schedules: readonly Schedule[]): Promise<readonly Schedule[]> => {
      const done = await runSchedules(group, schedules, repeating)
      cells.push(...done)
      const tried = new Set(done.map(({ schedule }) => schedule))
      return schedules.filter((schedule) => !tried.has(schedule))
    }
    // Without an accepted request, every fault would be survived.
    const canExplore =
      baseline.run.ended === 'succeeded' && explainNothingAccepted(baseline.run.exchanges) === undefined
    const known = crash ? [...injections, ...crashInjections] : injections
    const gateways = variantsFor(base.scenario)
    let left = canExplore ? await runAll(listSingles(baseline.run, isSelected, known, gateways)) : []
    if (canExplore && depth === 2 && left.length === 0) {
      const survived = cells
        .filter(({ state, schedule }) => schedule.parts.length === 1 && isGood(state))
        .map(({ schedule }) => schedule.parts[0]!)
      left = await runAll(listPairs(survived))
    }
    const again = await repeatMistakes(group, listMistakes(baseline, cells), repeating)
    const all = await repeatAlone(group, again, repeating)
    const repeated = all.filter(({ isRefuted }) => !isRefuted)
    const { findings, repetitions } = await simplifyFindings(group, toFindings(repeated), repeated, repeating)
    return {
      baseline: baseline.run,
      isComparable: baseline.isComparable,
      sentOnlyOnce,
      cells: withoutRefuted(cells, all),
      findings,
      repetitions,
      left,
      plays: group.plays,
      elapsedMs: meter.elapsedMs,
      score: left.length > 0 ? null : scoreOf(withoutRefuted(cells, all)),
      base,
    }
  } finally {
    meter.stop()
  }
}

/** Takes what was refuted out of the runs. */
function withoutRefuted(cells: readonly Cell[], mistakes: readonly RepeatedMistake[]): readonly Cell[] {
  const refuted = mistakes.filter(({ isRefuted }) => isRefuted)
  return cells.map((cell): Cell => {
    const left = cell.mistakes.filter(
      ({ habit }) => !refuted.some((each) => each.schedule === cell.schedule && each.habit === habit),
    )
    if (left.length === cell.mistakes.length) return cell
    return { ...cell, mistakes: left, state: left[0]?.severity ?? cell.otherwise }
  })
}

/** Runs schedules while the budget lasts. */
async function runSchedules(
  group: RunGroup,
  schedules: readonly Schedule[],
  options: RepeatOptions,
): Promise<Cell[]> {
  const { jobs, meter } = options
  meter.plan(schedules.length)
  const isOver = (): boolean => meter.isOverBudget
  const order = meter.hasBudget ? orderForBudget(schedules) : startSilenceFirst(schedules)
  const done = await group.runInOrder(order, { jobs, isOver }, async (schedule, onIdle) => {
    const cell = await runSchedule(group, schedule, options, onIdle)
    if (cell) meter.count(schedule.name, cell.mistakes.length)
    return cell
  })
  const bySchedule = new Map(done.map((cell) => [cell.schedule, cell]))
  return schedules.flatMap((schedule) => bySchedule.get(schedule) ?? [])
}

/** @returns undefined once the search is interrupted. */
async function runSchedule(
  group: RunGroup,
  schedule: Schedule,
  { baseline, base, meter }: RepeatOptions,
  onIdle: () => void = () => {},
): Promise<Cell | undefined> {
  const run = await meter.watch(onIdle, (whenIdle) =>
    group.run(scenarioOfSchedule(schedule, base), {
      injected: schedule.name,
      maxVirtualMs: base.maxVirtualMs,
      onIdle: whenIdle,
    }),
  )
  if (!run) return undefined
  const judged = judgeRun(schedule, run, baseline)
  return { schedule, ...judged, trace: judged.mistakes.length > 0 ? formatTrace(run) : '' }
}

function listMistakes(baseline: Baseline, cells: readonly Cell[]): ObservedMistake[] {
  const trace = formatTrace(baseline.run)
  return [
    ...judgeBaseline(baseline).map((mistake) => ({ ...mistake, schedule: baselineSchedule, trace })),
    ...cells.flatMap(({ schedule, trace, mistakes }) =>
      mistakes.map((mistake) => ({ ...mistake, schedule, trace })),
    ),
  ]
}

/** Replaces pairs by simpler schedules that show the same mistake twice. */
async function simplifyFindings(
  group: RunGroup,
  findings: readonly Finding[],
  repeated: readonly RepeatedMistake[],
  options: RepeatOptions,
): Promise<Pick<Exploration, 'findings' | 'repetitions'>> {
  const repetitions = new Map<string, ClientRun>()
  const simplified: Finding[] = []
  for (const finding of findings) {
    const { key, habit, schedule, isFlaky } = finding
    const isPair = schedule.parts.length > 1 && !isFlaky
    const simpler = isPair
      ? await shrinkPair(finding, (each) => runSchedule(group, each, options))
      : undefined
    const [again] = simpler ? await repeatMistakes(group, [simpler], options) : []
    const isSimpler = again?.isFlaky === false
    const proof = isSimpler
      ? again
      : repeated.find((mistake) => mistake.schedule === schedule && mistake.habit === habit)
    if (proof?.repetition) repetitions.set(key, proof.repetition)
    const { schedule: simplest, detail, trace } = isSimpler ? again : finding
    simplified.push({ ...finding, schedule: simplest, detail, trace })
  }
  return { findings: simplified, repetitions }
}

const isGood = (state: Cell['state']): boolean => state === 'survived' || state === 'reported'

/**
 * The share of injections that a client survived, reported or resubmitted, in percent. It is the mean over the families, so it doesn't
 * depend on the number of requests or injections. It is 100 only for all of them, and null if none was judged.
 */
function scoreOf(cells: readonly Cell[]): number | null {
  const families = new Map<string, { good: number; all: number }>()
  for (const { schedule, state } of cells) {
    if (schedule.parts.length > 1 || state === 'not reached' || state === 'not judged' || state === 'advised')
      continue
    const name = schedule.parts[0]?.injection.family ?? variantFamily
    const family = families.get(name) ?? { good: 0, all: 0 }
    families.set(name, family)
    family.all++
    if (isGood(state) || state === 'resubmitted') family.good++
  }
  if (families.size === 0) return null
  const shares = [...families.values()].map(({ good, all }) => good / all)
  return Math.floor((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length)
}

/** @param store where a client may keep what only its own run sees. */
export const explainSentOnlyOnce = (store: string): string =>
  `The client sent requests in its first run, and none in its second: it finds its own state of the first, such as finished jobs or a cache. Let each run start without it, or keep it in ${store}.`

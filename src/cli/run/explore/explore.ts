import { pickServerFlags } from '../../serve/server-flags.ts'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { formatDuration } from '../../../engine/clock/duration.ts'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import {
  createSelection,
  explorationColumns,
  explainSentOnlyOnce,
  explore as search,
  reportExplorations,
  SearchInterruptedError,
  selectorProblem,
  type Exploration,
  type Progress,
  type ReportedExploration,
  type RunClient,
  type SearchOptions,
} from '../../../judge/explore/index.ts'
import { pluralize } from '../../../engine/wording.ts'
import { explainNothingAccepted, reportFormats, terminalReport } from '../../../judge/index.ts'
import type { Scenario } from '../../../scenario/vocabulary/types.ts'
import { isSameName } from '../../serve/config-reload.ts'
import {
  type Command,
  type CommandInput,
  exitCodes,
  type Flags,
  readText,
  readTextFlags,
  repeatable,
  type Terminal,
  UsageError,
} from '../../terminal/command.ts'
import { exploredCommand, type CommandRun } from './explored-command.ts'
import { listGone, readAcceptedKeys, writeFindings } from './finding-files.ts'
import { replaceRealKeys } from '../real-gateway.ts'
import { hintAtVirtualTimers } from '../client-hints.ts'
import { writeReports } from '../reports.ts'
import {
  commandFlags,
  readCommandVariables,
  readDuration,
  readReports,
  readStrictness,
  repeatVariables,
} from '../run-flags.ts'
import { loadScenarios } from '../scenarios.ts'
import { defaultPatience } from '../stall-watch.ts'
import { StartMeter } from './start-meter.ts'

const defaultOut = 'greenroom-findings'

const inScenario = (key: string): string => `Set ${key} in a scenario to start from.`

/** `greenroom explore`: searches a client for bugs. */
export const explore: Command = {
  argumentHelp: 'Scenario files to start from. By default, it starts without a scenario',
  wrapsCommand: true,
  options: {
    budget: {
      type: 'string',
      describe: 'Start runs for this real time only; those that have begun end later  [default: no limit]',
    },
    jobs: {
      type: 'number',
      describe: 'Make this number of runs at the same time  [default: the number of cores]',
    },
    depth: {
      choices: [1, 2],
      describe:
        'Inject this number of faults at once; 2 also tries pairs of faults that the client survived  [default: 1]',
    },
    crash: {
      type: 'boolean',
      describe: 'Also kill COMMAND at each request, and start it again',
    },
    only: repeatable('Try only these operations (video.*), families ("rate limit") or faults (503)'),
    skip: repeatable('Skip these operations, families or faults'),
    out: {
      type: 'string',
      describe: `Write findings to this folder, as scenario files  [default: ${defaultOut}]`,
    },
    accept: {
      type: 'string',
      describe: 'Accept the findings of an earlier exploration, from its JSON report',
    },
    report: repeatable(`Write a report: ${reportFormats.join(', ')}; with =FILE to a file`),
    ...commandFlags,
    ...pickServerFlags(['api']),
    strict: {
      type: 'boolean',
      describe:
        'Also fail for flaky findings, and if something was not tried or not judged  [default: for flaky findings only, if CI is set]',
    },
    'time-limit': {
      type: 'string',
      describe: `Limit each run, and each wait for a lost response, to this real time  [default: ${defaultPatience}]`,
    },
  },
  flagAdvice: {
    'cache-dir': inScenario('config.cacheDir'),
    rate: inScenario('clock.rate'),
    seed: inScenario('seed'),
  },
  epilogue: [
    'Runs COMMAND once without a fault, then with one fault at each request, and judges how the client handles it. Each finding becomes a scenario file, which fails until you fix the client. Without COMMAND, it explores the reference client with the steps of drive.',
    `Exit codes: ${exitCodes.ok} nothing new, ${exitCodes.expectationFailed} new findings, that of COMMAND if it fails by itself, ${exitCodes.usage} wrong flag, ${exitCodes.badFile} bad file, ${exitCodes.cannotStart} a run could not be made, ${exitCodes.stalled} COMMAND does not end by itself, ${exitCodes.noRequests} no requests, ${exitCodes.notAllTried} nothing was tried, or with --strict not everything, ${exitCodes.interrupted} interrupted during the first run. A later interrupt ends the search and keeps what was found.`,
  ],
  examples: [
    ['greenroom explore -- npm test', 'find what your client does not survive'],
    [
      "greenroom explore --only 'video.*' --budget 30s -- node client.js",
      'try only videos, for half a minute',
    ],
  ],
  run: exploreClient,
}

interface ExploreRequest extends Required<
  Pick<SearchOptions, 'budgetMs' | 'jobs' | 'depth' | 'crash' | 'isSelected' | 'isVirtualTime'>
> {
  readonly out: string
  readonly accepted: readonly string[]
}

/** @returns the exit code. */
async function exploreClient({ flags, args, wrapped }: CommandInput, terminal: Terminal): Promise<number> {
  const reports = readReports(flags)
  const strictness = readStrictness(flags, terminal.environment)
  const limitMs = readDuration(flags, 'time-limit', defaultPatience)
  const apis = readTextFlags(flags, 'api')
  const files = await loadScenarios(args, terminal.folder, apis)
  const scenarios: readonly Scenario[] =
    files.length === 0
      ? [{ version: 1, ...(apis.length > 0 && { config: { apis } }) }]
      : files.map(({ loaded }) => loaded.scenario)
  const request = await readRequest({ flags, isReference: wrapped.length === 0 }, scenarios, terminal)
  if (wrapped.length === 0 && (files.length === 0 || scenarios.some(({ drive = [] }) => drive.length === 0)))
    throw new UsageError(
      'There is no client to explore. Add a command after "--", or name a scenario with drive.',
    )
  if (request.crash && wrapped.length === 0)
    throw new UsageError('--crash kills a command. Add one after "--".')
  const variables = readCommandVariables(flags, terminal.environment, wrapped)
  const given = [variables, ...scenarios.map(({ config }) => config?.env ?? {})].flatMap(Object.keys)
  const keys = wrapped.length > 0 ? replaceRealKeys(given, terminal) : {}
  const starts = new StartMeter()
  const run = exploredCommand({ command: wrapped, variables, keys, limitMs, starts }, terminal)
  const variableFlags = repeatVariables(flags)
  const explorations: ReportedExploration[] = []
  const codes: number[] = []
  const prefixes = toPrefixes(files.map(({ file }) => file))
  for (const [index, scenario] of scenarios.entries()) {
    const client = wrapped.join(' ') || 'reference client'
    const title = files[index] ? `${files[index].file} -- ${client}` : client
    const prefix = prefixes[index] ?? ''
    const budgetMs = request.budgetMs / scenarios.length
    const found = await searchScenario(run, scenario, { ...request, budgetMs }, terminal)
    if (!found) {
      terminal.warn(`error: Interrupted before the client had run without a fault: ${title}.`)
      codes.push(exitCodes.interrupted)
      break
    }
    hintAtVirtualTimers((found.baseline as CommandRun).sleptMs, variableFlags, terminal)
    const failure = explainBaseline(found, terminal)
    if (failure !== undefined) codes.push(failure)
    explorations.push(
      await writeFindings(
        found,
        { title, prefix, command: wrapped, variableFlags, isStrict: strictness.isOn, ...request },
        terminal,
      ),
    )
  }
  const slowStart = starts.describe(wrapped)
  if (slowStart !== undefined) terminal.warn(`hint: ${slowStart}`)
  const isSelection = [...readTextFlags(flags, 'only'), ...readTextFlags(flags, 'skip')].length > 0
  const advice = isSelection ? 'Explore without --only and --skip before you remove it.' : 'Remove it.'
  for (const key of listGone(explorations, request.accepted))
    terminal.warn(`hint: The accepted finding "${key}" was not found. ${advice}`)
  const report = reportExplorations(explorations)
  await writeReports(report, { reports, text: terminalReport(report, explorationColumns) }, terminal)
  const failing = explorations.flatMap(({ findings }) => findings.filter(({ fails }) => fails))
  if (failing.some(({ isFlaky }) => isFlaky) && !strictness.isExplicit)
    terminal.warn('hint: A flaky finding fails because CI is set. --no-strict lets it pass.')
  if (failing.length > 0) codes.push(exitCodes.expectationFailed)
  const untried = explorations.find(({ cells }) => cells.length === 0)
  if (untried && codes.length === 0) {
    const advice =
      untried.left.length > 0
        ? ` The search ended before the first run with a fault.${flags['budget'] === undefined ? '' : ' Raise --budget.'}`
        : isSelection
          ? ' No request of the client fits --only and --skip.'
          : ''
    terminal.warn(`error: Nothing was tried.${advice}`)
    codes.push(exitCodes.notAllTried)
  }
  const isPartial = explorations.some(
    ({ left, cells }) => left.length > 0 || cells.some(({ state }) => state === 'not judged'),
  )
  if (strictness.isOn && strictness.isExplicit && isPartial) codes.push(exitCodes.notAllTried)
  return codes[0] ?? exitCodes.ok
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

async function readRequest(
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

/** @returns undefined if it was interrupted during the baseline run. */
async function searchScenario(
  run: RunClient,
  scenario: Scenario,
  request: ExploreRequest,
  terminal: Terminal,
): Promise<Exploration | undefined> {
  const interrupt = new AbortController()
  void terminal.interrupted.then(() => interrupt.abort())
  const onProgress = reportProgress(terminal)
  try {
    return await search(run, {
      ...request,
      scenario,
      hasExitCode: true,
      isVirtualTime: request.isVirtualTime,
      signal: interrupt.signal,
      onProgress,
    })
  } catch (error) {
    if (error instanceof SearchInterruptedError) return undefined
    throw error
  } finally {
    terminal.progress?.('')
  }
}

/** A log gets a line after this many runs, or after this time. */
const runsPerLine = 50
const msPerLine = 30_000

function reportProgress(terminal: Terminal): (progress: Progress) => void {
  let [printedRuns, printedMs] = [0, hostTimers.elapsedMs()]
  return (progress) => {
    const line = describeProgress(progress)
    if (terminal.progress) return terminal.progress(line)
    const nowMs = hostTimers.elapsedMs()
    const runs = progress.runs + progress.repeated
    if (runs - printedRuns < runsPerLine && nowMs - printedMs < msPerLine) return
    terminal.warn(line)
    ;[printedRuns, printedMs] = [runs, nowMs]
  }
}

/** `41/77 runs, 3 mistakes, about 12s left: hang @ video.poll` */
function describeProgress(progress: Progress): string {
  const { runs, planned, repeated, repetitions, mistakes, leftMs, idle, latest } = progress
  const repeating = repetitions === 0 ? '' : `, ${repeated}/${repetitions} repeated`
  const waiting = idle === 0 ? '' : `, ${idle} waiting for a response that never comes`
  const left = formatDuration(Math.ceil(leftMs / 1_000) * 1_000)
  return `${runs}/${planned} runs, ${pluralize(mistakes, 'mistake')}${repeating}${waiting}, about ${left} left: ${latest}`
}

/** Returns the exit code for a client that fails in the baseline run; undefined if it succeeds. */
function explainBaseline({ baseline, sentOnlyOnce }: Exploration, { warn }: Terminal): number | undefined {
  const { ended, reason, output, noRequests, exitCode } = baseline as CommandRun
  const refused = explainNothingAccepted(baseline.exchanges)
  if (ended === 'succeeded' && noRequests === undefined && refused === undefined) return undefined
  if (output.trim() !== '') warn(output.trim())
  if (noRequests !== undefined) {
    warn(
      `error: ${sentOnlyOnce ? explainSentOnlyOnce(`the folder of the run: --env 'MY_STATE_DIR=\${runDir}'`) : noRequests}`,
    )
    return ended === 'failed' ? exitCode : exitCodes.noRequests
  }
  if (refused !== undefined) warn(`error: ${refused}`)
  if (ended === 'succeeded') return exitCodes.expectationFailed
  warn(`error: The client fails in the baseline run, in which nothing goes wrong: ${reason}`)
  return ended === 'failed' ? exitCode : exitCodes.stalled
}

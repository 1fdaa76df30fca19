import {
  explorationColumns,
  reportExplorations,
  type ReportedExploration,
} from '../../../judge/explore/index.ts'
import { reportFormats, terminalReport } from '../../../judge/index.ts'
import type { Scenario } from '../../../scenario/vocabulary/types.ts'
import { pickServerFlags } from '../../serve/server-flags.ts'
import {
  type Command,
  type CommandInput,
  exitCodes,
  readTextFlags,
  repeatable,
  type Terminal,
  UsageError,
} from '../../terminal/command.ts'
import { hintAtVirtualTimers } from '../client-hints.ts'
import { replaceRealKeys } from '../real-gateway.ts'
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
import { exitCodeOf, explainBaseline, explainUntried } from './exit-code.ts'
import { exploredCommand, type CommandRun } from './explored-command.ts'
import { listGone, writeFindings } from './finding-files.ts'
import { defaultOut, readExploreRequest, toPrefixes } from './request.ts'
import { searchScenario } from './search-scenario.ts'
import { StartMeter } from './start-meter.ts'

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
      describe:
        'Make this number of runs at the same time, in one folder: each has files of its own in ${runDir}  [default: the number of cores]',
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
  const request = await readExploreRequest({ flags, isReference: wrapped.length === 0 }, scenarios, terminal)
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
  let hasDescribed = false
  /** Describes slow starts once, as early as possible: a search may take long. */
  const describeStart = (): string | undefined => {
    const hint = hasDescribed ? undefined : starts.describe(wrapped)
    hasDescribed ||= hint !== undefined
    return hint
  }
  const variableFlags = repeatVariables(flags)
  const explorations: ReportedExploration[] = []
  const baselineCodes: number[] = []
  const prefixes = toPrefixes(files.map(({ file }) => file))
  for (const [index, scenario] of scenarios.entries()) {
    const client = wrapped.join(' ') || 'reference client'
    const title = files[index] ? `${files[index].file} -- ${client}` : client
    const prefix = prefixes[index] ?? ''
    const budgetMs = request.budgetMs / scenarios.length
    const found = await searchScenario(run, scenario, { ...request, budgetMs }, terminal, describeStart)
    if (!found) {
      terminal.warn(`error: Interrupted before the client had run without a fault: ${title}.`)
      baselineCodes.push(exitCodes.interrupted)
      break
    }
    hintAtVirtualTimers((found.baseline as CommandRun).sleptMs, variableFlags, terminal)
    const failure = explainBaseline(found, terminal)
    if (failure !== undefined) baselineCodes.push(failure)
    explorations.push(
      await writeFindings(
        found,
        { title, prefix, command: wrapped, variableFlags, isStrict: strictness.isOn, ...request },
        terminal,
      ),
    )
  }
  const isSelection = [...readTextFlags(flags, 'only'), ...readTextFlags(flags, 'skip')].length > 0
  const advice = isSelection ? 'Explore without --only and --skip before you remove it.' : 'Remove it.'
  for (const key of listGone(explorations, request.accepted))
    terminal.warn(`hint: The accepted finding "${key}" was not found. ${advice}`)
  const report = reportExplorations(explorations)
  await writeReports(report, { reports, text: terminalReport(report, explorationColumns) }, terminal)
  const needsAll = strictness.isOn && strictness.isExplicit
  const code = exitCodeOf({ baselineCodes, explorations, needsAll })
  const failing = explorations.flatMap(({ findings }) => findings.filter(({ fails }) => fails))
  if (failing.some(({ isFlaky }) => isFlaky) && !strictness.isExplicit)
    terminal.warn('hint: A flaky finding fails because CI is set. --no-strict lets it pass.')
  const hasBudget = flags['budget'] !== undefined
  const untried = explainUntried(explorations, { isSelection, hasBudget })
  if (untried !== undefined && code === exitCodes.notAllTried) terminal.warn(`error: ${untried}`)
  return code
}

import { nameApiFile } from '../../files/code/load-apis.ts'
import { sdkVariables } from '../../apis/index.ts'
import { clockMapping } from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import {
  invariantsOnly,
  judgeSeeds,
  reportRuns,
  RunCollection,
  terminalReport,
  withAbnormalEnd,
  type SeedsVerdict,
  type Verdict,
  type Verdicts,
} from '../../judge/index.ts'
import { type Command, type CommandInput, exitCodes, type Terminal, UsageError } from '../terminal/command.ts'
import { formatProgram } from '../terminal/program.ts'
import { replaceRealKeys } from './real-gateway.ts'
import { explainLine, needsTrace, reportsToOutput, reproduceLine, writeReports } from './reports.ts'
import { readRunFlags, runFlags, warnOfStrictness, type RunArguments } from './run-flags.ts'
import { runScenario } from './scenario-run.ts'
import {
  InvalidScenarios,
  loadScenarios,
  readScenarioTexts,
  scenarioOptions,
  type FileMistake,
  type NamedScenario,
} from './scenarios.ts'

/** `greenroom run`: plays scenarios to a command, and judges it. */
export const run: Command = {
  argumentHelp: 'Scenario files, or names that greenroom scenarios lists',
  wrapsCommand: true,
  options: runFlags,
  epilogue: [
    `COMMAND runs once for each file and seed, against a simulator on a free port. Without a file, it is judged by the invariants alone, and you get statistics. It finds the simulator by GREENROOM_URL and GREENROOM_KEY, ${sdkVariables.map((pair) => Object.keys(pair).join(' and ')).join(', ')}, and by the variables of --env and of config.env in the file. Without COMMAND, the reference client does the steps of drive.`,
    'A strict run also fails for expected invariants that are not applicable and for faults that were only approximated, unless expect.allow in the file allows them. Without a file, it also fails for invariants that were not exercised.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.expectationFailed} an expectation failed, ${exitCodes.usage} wrong flag, ${exitCodes.badFile} bad file, ${exitCodes.cannotStart} the server could not start, ${exitCodes.stalled} time limit or deadlock, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted.`,
  ],
  examples: [
    ['greenroom run -- npm test', 'judge your tests without a scenario'],
    [
      'greenroom run scenarios/*.yaml --report junit=out.xml -- npm test',
      'play your scenarios to your tests',
    ],
  ],
  run: runScenarios,
}

/**
 * Checks all files first, then runs each file with each seed.
 * @returns the exit code.
 */
async function runScenarios(input: CommandInput, terminal: Terminal): Promise<number> {
  const request = readRunFlags(input.flags, terminal.environment, input.wrapped)
  const files = input.args
  const command = input.wrapped
  if (files.length === 0 && command.length > 0)
    return runAll([withoutScenario], { request, command }, terminal)
  if (files.length === 0)
    throw new UsageError(
      `greenroom run needs a scenario, a command after "--", or both. See ${formatProgram(terminal.environment)} run --help.`,
    )
  const loaded = await loadScenarios(files, terminal.folder, request.apis).catch(async (error: unknown) => {
    // A CI system without a report would count no failures.
    if (error instanceof InvalidScenarios && request.reports.length > 0) {
      const verdicts = error.mistakes.map(invalidFileVerdict)
      const runs = new RunCollection()
      for (const verdict of verdicts) runs.add({ verdict })
      await writeResults(verdicts, { request, runs }, terminal)
    }
    throw error
  })
  if (command.length === 0) for (const each of loaded) requireDrive(each, request)
  if (request.journal !== undefined && loaded.length > 1) {
    throw new UsageError('--journal records one run. Name one file.')
  }
  return runAll(loaded, { request, command }, terminal)
}

/** A scenario that is played, or none. */
type Played = Pick<NamedScenario, 'loaded'> & { readonly file: string | undefined }

const withoutScenario: Played = {
  file: undefined,
  loaded: { scenario: { version: 1, expect: invariantsOnly }, files: [], at: () => ({ file: '' }) },
}

/** @throws {UsageError} if the reference client has nothing to do, or would wait forever. */
function requireDrive({ file, loaded }: NamedScenario, { config }: RunArguments): void {
  if ((loaded.scenario.drive ?? []).length === 0) {
    throw new UsageError(
      `${file} has no drive, so there is no client to run. Add a command after "--", or drive.`,
    )
  }
  if ((loaded.scenario.crash ?? []).length > 0)
    throw new UsageError(`${file} has crash, which only a command can. Add a command after "--".`)
  if (scenarioOptions(loaded, config).clock.mode !== 'manual') return
  throw new UsageError(
    `${file} can't run with the reference client in clock mode manual, which nothing would advance. Pass --clock auto, ` +
      'or a command after "--" that advances the clock.',
  )
}

interface Runs {
  readonly request: RunArguments
  /** Empty for the reference client. */
  readonly command: readonly string[]
}

async function runAll(files: readonly Played[], runs: Runs, terminal: Terminal): Promise<number> {
  const judged: (Verdict | SeedsVerdict)[] = []
  const durationsMs = new Map<Verdict, number>()
  const collected = new RunCollection()
  const { reports, seeds, strict } = runs.request
  const write = (): Promise<void> =>
    writeResults(judged, { request: runs.request, runs: collected, durationsMs }, terminal)
  const isOutputTaken = reportsToOutput(reports, terminal.environment)
  const runTerminal = isOutputTaken ? { ...terminal, print: terminal.warn } : terminal
  const fromFiles = files.flatMap(({ loaded }) => Object.keys(loaded.scenario.config?.env ?? {}))
  const given = [...Object.keys(runs.request.variables), ...fromFiles]
  const keys = runs.command.length > 0 ? replaceRealKeys(given, terminal) : {}
  let firstFailure: number = exitCodes.ok
  for (const named of files) {
    const verdicts: Verdict[] = []
    // Earlier runs may have taken long, so their reports are written in any case.
    const writeFinished = async (): Promise<void> => {
      judged.push(...verdicts)
      if (judged.length > 0) await write()
    }
    const code = await runSeeds(
      named,
      { ...runs, keys, verdicts, durationsMs, collected },
      runTerminal,
    ).catch(async (error: unknown) => {
      await writeFinished()
      throw error
    })
    if (code === exitCodes.interrupted) {
      await writeFinished()
      return code
    }
    const ofAllSeeds = seeds ? judgeSeeds(verdicts) : undefined
    judged.push(...(ofAllSeeds ? [ofAllSeeds] : verdicts))
    const ownCode =
      code === exitCodes.ok && ofAllSeeds && !ofAllSeeds.passed ? exitCodes.expectationFailed : code
    firstFailure ||= ownCode
  }
  await write()
  warnOfStrictness(judged, strict, terminal)
  return firstFailure
}

async function writeResults(
  judged: Verdicts,
  { request, ...more }: { request: RunArguments; runs: RunCollection; durationsMs?: Map<Verdict, number> },
  terminal: Terminal,
): Promise<void> {
  const { reports, journal } = request
  const howToExplain = (number: number): string => explainLine(number, journal, terminal.environment)
  const report = reportRuns(judged, { ...more, howToExplain })
  await writeReports(report, { reports, text: terminalReport(report) }, terminal)
}

function invalidFileVerdict({ file, message }: FileMistake): Verdict {
  const empty: Verdict = {
    name: '',
    file,
    seed: null,
    passed: false,
    results: [],
    invariants: [],
    tasks: [],
    requests: 0,
    elapsedMs: 0,
    spent: null,
    timing: 'approximate',
    fired: [],
    approximated: {},
    reproduce: null,
  }
  return withAbnormalEnd(empty, 'run', { expected: 'a valid scenario file', actual: message })
}

/**
 * Runs a file with each seed.
 * @returns the exit code of the first run that fails.
 */
async function runSeeds(
  { file, loaded }: Played,
  {
    request,
    command,
    keys,
    verdicts,
    durationsMs,
    collected,
  }: Runs & {
    /** Variables of the command that would have the key of a real gateway. */
    readonly keys: Readonly<Record<string, string>>
    /** Receives the verdict of each finished run. */
    readonly verdicts: Verdict[]
    readonly durationsMs: Map<Verdict, number>
    readonly collected: RunCollection
  },
  terminal: Terminal,
): Promise<number> {
  const isTraced = needsTrace(request.reports)
  const scenario = isTraced ? await readScenarioTexts(loaded, terminal.folder) : []
  const seeds = request.seeds ?? [undefined]
  let firstFailure: number = exitCodes.ok
  for (const [index, seed] of seeds.entries()) {
    if (seeds.length > 1)
      terminal.progress?.(`${file ?? 'run'}: seed ${seed}, run ${index + 1} of ${seeds.length}`)
    const options = scenarioOptions(loaded, { ...request.config, ...(seed !== undefined && { seed }) })
    const reproduce = reproduceLine({
      seed: String(options.seed ?? 1),
      file,
      flags: repeatFlags(request, terminal.folder),
      command,
      environment: terminal.environment,
    })
    const startMs = hostTimers.elapsedMs()
    const run = { ...request, loaded, file, options, command, keys, reproduce, isTraced }
    const { code, verdict, trace } = await runScenario(run, terminal).finally(() => terminal.progress?.(''))
    if (code === exitCodes.interrupted) return code
    if (verdict) {
      verdicts.push(verdict)
      if (isTraced) collected.add({ verdict, trace, scenario })
      durationsMs.set(verdict, hostTimers.elapsedMs() - startMs)
    }
    firstFailure ||= code
  }
  return firstFailure
}

/** The flags that repeat a run, except its seed. */
function repeatFlags({ config, apis, variableFlags, strict }: RunArguments, folder: string): string[] {
  const { rate, mode } = clockMapping(config.clock) ?? {}
  const clock = rate === undefined ? (mode === undefined ? [] : ['--clock', mode]) : ['--rate', String(rate)]
  const named = apis.flatMap((path) => ['--api', nameApiFile(path, folder)])
  return [...clock, ...named, ...variableFlags, ...(strict.isOn ? ['--strict'] : [])]
}

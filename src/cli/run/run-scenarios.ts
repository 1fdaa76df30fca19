import { clockMapping } from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import { judgeSeeds, withAbnormalEnd, type SeedsVerdict, type Verdict } from '../../judge/index.ts'
import { exitCodes, FileError, UsageError, wordsOf, wrappedOf, type Terminal } from '../terminal/command.ts'
import { loadScenarios, type NamedScenario } from './load-scenarios.ts'
import { reproduceLine } from './reproduce.ts'
import { readRunFlags, type RunRequest } from './run-flags.ts'
import { takesOutput, writeReports } from './run-reports.ts'
import { scenarioOptions } from './scenario-options.ts'
import { strictByEnvironment } from './strict-flag.ts'
import { runTrial } from './trial.ts'

/**
 * Does what `greenroom run` says: everything is checked first, then every file is run under every seed.
 * @returns the exit code.
 */
export async function runScenarios(
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const request = readRunFlags(flags, terminal)
  const command = wrappedOf(flags)
  // Before anything runs, all files are known to be good.
  const loaded = await loadScenarios(wordsOf(flags), terminal).catch(async (error: unknown) => {
    // A CI system that finds no report takes the run for one without failures.
    if (error instanceof FileError && request.reports.length > 0)
      await writeReports([invalidFileVerdict(wordsOf(flags), error)], request, terminal)
    throw error
  })
  if (command.length === 0) for (const each of loaded) requireDrive(each, request)
  if (request.journal !== undefined && loaded.length > 1) {
    throw new UsageError('--journal records one run. Name one file.')
  }
  return runAll(loaded, { request, command }, terminal)
}

/** @throws {UsageError} where the reference client has nothing to do, or would wait for ever. */
function requireDrive({ file, loaded }: NamedScenario, { config }: RunRequest): void {
  if ((loaded.scenario.drive ?? []).length === 0) {
    throw new UsageError(
      `${file} says nothing of drive, so there is nobody to play it to. Put a command behind "--", or add drive.`,
    )
  }
  if (scenarioOptions(loaded, config).clock.mode !== 'manual') return
  throw new UsageError(
    `${file} can't be played to the reference client on a clock of mode manual: nobody moves it. Take --clock auto, or ` +
      'put a command behind "--" that advances it.',
  )
}

async function runAll(
  files: readonly NamedScenario[],
  how: { request: RunRequest; command: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  const judged: (Verdict | SeedsVerdict)[] = []
  const durationsMs = new Map<Verdict, number>()
  const { reports, journal } = how.request
  const reportRequest = { reports, journal, durationsMs }
  const beside = takesOutput(how.request.reports, terminal) ? { ...terminal, print: terminal.warn } : terminal
  let worst: number = exitCodes.ok
  for (const { file, loaded } of files) {
    const { verdicts, code } = await runSeeds(file, loaded, { ...how, durationsMs }, beside).catch(
      async (error: unknown) => {
        // What others took long to find out is told all the same.
        if (judged.length > 0) await writeReports(judged, reportRequest, terminal)
        throw error
      },
    )
    if (code === exitCodes.interrupted) return code
    const ofAllSeeds = how.request.seeds ? judgeSeeds(verdicts) : undefined
    judged.push(...(ofAllSeeds ? [ofAllSeeds] : verdicts))
    const own = code === exitCodes.ok && ofAllSeeds && !ofAllSeeds.passed ? exitCodes.expectationFailed : code
    if (worst === exitCodes.ok) worst = own
  }
  await writeReports(judged, reportRequest, terminal)
  const { isOn, isExplicit } = how.request.strict
  if (isOn && !isExplicit && judged.some(hasStrictFailure)) terminal.warn(strictByEnvironment)
  return worst
}

function invalidFileVerdict([file]: readonly string[], { message }: Error): Verdict {
  const empty: Verdict = {
    name: '',
    file: file ?? null,
    seed: null,
    passed: false,
    results: [],
    invariants: [],
    tasks: [],
    requests: 0,
    elapsedMs: 0,
    approximated: {},
    reproduce: null,
  }
  return withAbnormalEnd(empty, 'run', { expected: 'the scenario files are valid', actual: message })
}

/** Whether a verdict has failures that only a strict run has. */
function hasStrictFailure(verdict: Verdict | SeedsVerdict): boolean {
  const runs = 'runs' in verdict ? verdict.runs : [verdict]
  return runs.some(({ results }) => results.some(({ hint }) => hint !== undefined))
}

/** Runs one file under each seed. The first run that fails says how all of it ends. */
async function runSeeds(
  file: string,
  loaded: LoadedScenario,
  how: { request: RunRequest; command: readonly string[]; durationsMs: Map<Verdict, number> },
  terminal: Terminal,
): Promise<{ verdicts: Verdict[]; code: number }> {
  const { request, command, durationsMs } = how
  const verdicts: Verdict[] = []
  let worst: number = exitCodes.ok
  for (const [index, wanted] of (request.seeds ?? [undefined]).entries()) {
    const { length = 1 } = request.seeds ?? []
    if (length > 1) terminal.progress?.(`${file}: seed ${wanted}, run ${index + 1} of ${length}`)
    const options = scenarioOptions(loaded, {
      ...request.config,
      ...(wanted === undefined ? {} : { seed: wanted }),
    })
    const seed = String(options.seed ?? 1)
    const strict = request.strict.isOn
    const flags = [...clockFlags(request), ...variableFlags(request), ...(strict ? ['--strict'] : [])]
    const reproduce = reproduceLine({ seed, file, flags, command, environment: terminal.environment })
    const { limitMs, journal, variables } = request
    const canBeEmpty = request.strict.isExplicit && !strict
    const trial = {
      loaded,
      file,
      options,
      command,
      variables,
      limitMs,
      journal,
      reproduce,
      strict,
      canBeEmpty,
    }
    const beganAtMs = hostTimers.elapsedMs()
    const { code, verdict } = await runTrial(trial, terminal).finally(() => terminal.progress?.(''))
    if (code === exitCodes.interrupted) return { verdicts, code }
    if (verdict) {
      verdicts.push(verdict)
      durationsMs.set(verdict, hostTimers.elapsedMs() - beganAtMs)
    }
    if (worst === exitCodes.ok) worst = code
  }
  return { verdicts, code: worst }
}

function variableFlags({ variables }: RunRequest): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`])
}

function clockFlags({ config }: RunRequest): string[] {
  const clock = clockMapping(config.clock)
  if (clock?.rate !== undefined) return ['--rate', String(clock.rate)]
  return clock?.mode === undefined ? [] : ['--clock', clock.mode]
}

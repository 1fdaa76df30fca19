import { dirname, resolve } from 'node:path'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import { startServer, type ServerOptions } from '../../server/start.ts'
import type { RunningServer } from '../../server/server.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { withAbnormalEnd, type CommandOutcome, type Verdict } from '../../judge/index.ts'
import { watchRun, type RunNames } from '../../embedded/watched-run.ts'
import { placeOfResult } from '../../scenario/files/names.ts'
import { tokenIn } from '../inspect/ask-server.ts'
import { endInWords, signalOf, startChild } from './child.ts'
import { exitCodes, type Terminal } from '../terminal/command.ts'
import { driveScenario, judgedNamespace, outcomeLine } from './drive-scenario.ts'
import { watchExpectedFile } from './expected-file.ts'
import { shownPath } from './load-scenarios.ts'
import { exampleKey } from '../serve/example-key.ts'
import { openJournal } from '../terminal/journal-file.ts'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import { watchForStall } from './stall-watch.ts'
import { explainNoRequests, listOtherNamespaces } from './no-requests.ts'

/** One run of a scenario. */
export interface Trial {
  readonly loaded: LoadedScenario
  /** The file, as it is shown. */
  readonly file: string
  readonly options: ServerOptions
  /** What is run; empty for the reference client. */
  readonly command: readonly string[]
  /** Variables for the command, which win over those of the file. */
  readonly variables: Readonly<Record<string, string>>
  /** How long it may take, in milliseconds of real time. */
  readonly limitMs: number
  /** Where the exchanges are recorded. */
  readonly journal: string | undefined
  /** The line that does it again. */
  readonly reproduce: string
  /** Whether what could not be judged fails the run. */
  readonly strict: boolean
  /** Whether a run without requests may pass, as `--no-strict` says. */
  readonly canBeEmpty: boolean
}

/** What came of it. */
export interface TrialResult {
  /** The exit code that the run asks for. */
  readonly code: number
  /** None when the run was interrupted. */
  readonly verdict: Verdict | undefined
}

/**
 * Starts a server for one scenario, lets the command or the reference client run against it, judges what happened, and
 * stops everything.
 *
 * @throws {ServerError} {FileError} {UsageError} when it can't begin.
 */
export async function runTrial(trial: Trial, terminal: Terminal): Promise<TrialResult> {
  const { options, journal } = trial
  const { folder } = terminal
  const recording =
    journal === undefined ? undefined : await openJournal(journal, options, { folder, replace: true })
  const controlToken = options.controlToken ?? tokenIn(terminal.environment)
  const ffmpeg = options.ffmpeg ?? terminal.environment['GREENROOM_FFMPEG']
  const server = await startServer({
    ...options,
    ...(ffmpeg ? { ffmpeg } : {}),
    ...(controlToken ? { controlToken } : {}),
    ...(recording ? { between: recording.between } : {}),
    onWarning: (message) => terminal.warn(`greenroom: ${message}`),
  })
  try {
    return await runAgainst(server, trial, terminal)
  } finally {
    await server.close()
    await recording?.end()
  }
}

async function runAgainst(server: RunningServer, trial: Trial, terminal: Terminal): Promise<TrialResult> {
  const { simulator } = server
  const { expect = {} } = trial.loaded.scenario
  let command: CommandOutcome | undefined
  const names = { ...namesOf(trial, terminal), command: () => command }
  const run = watchRun(simulator, judgedNamespace, expect, names)
  const standstill = watchForStall(simulator, trial.limitMs)
  try {
    const player = await startPlayer(server, trial, terminal)
    const ended = await Promise.race([
      player.ended,
      standstill.found.then((why) => ({ why })),
      terminal.interrupted.then(() => undefined),
    ]).finally(player.end)
    if (ended === undefined) return { code: exitCodes.interrupted, verdict: undefined }
    command = await player.outcome(ended)
    const verdict = await run.verdict()
    const emptiness = explainNoRequests(simulator, player.variables)
    if (emptiness === undefined) warnAboutOtherNamespaces(simulator, terminal)
    if (typeof ended === 'object') {
      terminal.warn(`greenroom: nothing moves any more: ${ended.why}`)
      const words = { expected: 'comes to its end', actual: ended.why }
      return { code: exitCodes.stalled, verdict: withAbnormalEnd(verdict, 'run', words) }
    }
    if (typeof ended === 'string') {
      const words = { expected: 'can do what it says', actual: ended }
      return { code: exitCodes.expectationFailed, verdict: withAbnormalEnd(verdict, 'drive', words) }
    }
    const hasRun = trial.command.length > 0
    if (ended !== 0 && expect.command?.exit === undefined) {
      if (emptiness !== undefined) terminal.warn(`error: ${emptiness}`)
      const words = { expected: 'exits with 0', actual: endInWords(ended) }
      // Without requests, every other result is a consequence of this one.
      const alone = emptiness === undefined ? verdict : { ...verdict, results: [] }
      return { code: ended, verdict: withAbnormalEnd(alone, 'command', words) }
    }
    if (hasRun && emptiness !== undefined && !(trial.canBeEmpty && verdict.passed)) {
      const words = { expected: 'sends a request', actual: emptiness }
      // Without requests, every other result is a consequence, except for those of the command.
      const results = verdict.results.filter(({ path }) => path.startsWith('command.'))
      return { code: exitCodes.noRequests, verdict: withAbnormalEnd({ ...verdict, results }, 'run', words) }
    }
    return { code: verdict.passed ? exitCodes.ok : exitCodes.expectationFailed, verdict }
  } finally {
    standstill.end()
    run.stop()
  }
}

/** The command, or the reference client. */
interface Player {
  /** The exit code of the command; of the reference client 0, or what it could not do. */
  readonly ended: Promise<number | string>
  readonly end: () => Promise<void>
  /** The end of the command, after `end`. Undefined for the reference client. */
  readonly outcome: (ended: unknown) => Promise<CommandOutcome | undefined>
  /** The variables by which a command finds the server. */
  readonly variables: Readonly<Record<string, string>>
}

/** Lets whoever plays the client begin. */
async function startPlayer(server: RunningServer, trial: Trial, terminal: Terminal): Promise<Player> {
  const { scenario } = trial.loaded
  const key = exampleKey(trial.options)
  if (trial.command.length > 0) {
    const variables = sdkEnvironment(
      { url: server.url, key },
      { ...scenario.config?.env, ...trial.variables },
    )
    return { ...(await startCommand(trial, terminal, variables)), variables }
  }
  // Where the run is over before the client is, its end is nobody's concern.
  const over = new AbortController()
  const ended = over.signal
  const driven = driveScenario(scenario.drive ?? [], server, { key, ended }).then((outcomes) => {
    if (!ended.aborted) for (const outcome of outcomes) terminal.print(outcomeLine(outcome))
    const undone = outcomes.find((outcome) => outcome.ended === 'impossible')
    return undone ? `${undone.name}: ${undone.reason}` : exitCodes.ok
  })
  driven.catch(() => {})
  return { ended: driven, end: async () => over.abort(), outcome: async () => undefined, variables: {} }
}

async function startCommand(
  { command, loaded }: Trial,
  terminal: Terminal,
  variables: Readonly<Record<string, string>>,
): Promise<Omit<Player, 'variables'>> {
  const { stdout, file } = loaded.scenario.expect?.command ?? {}
  const folders = [terminal.folder, ...loaded.files.map((name) => dirname(resolve(terminal.folder, name)))]
  const readFile = file && (await watchExpectedFile(file.path, folders.slice(0, 2)))
  const copyOutput = terminal.copyOutput ?? (() => {})
  const { ended, end, output } = await startChild(command, terminal, variables, stdout && copyOutput)
  return {
    ended,
    end,
    outcome: async (code) => {
      const exit = typeof code === 'number' ? code : null
      const signal = exit === null ? undefined : signalOf(exit)
      const { text, bytes, isWhole } = output()
      return {
        exit,
        ...(signal === undefined ? {} : { signal }),
        stdout: text,
        ...(isWhole ? {} : { stdoutBytes: bytes }),
        ...(readFile ? { file: await readFile() } : {}),
      }
    },
  }
}

function namesOf({ loaded, file, reproduce, strict }: Trial, { folder }: Terminal): RunNames {
  const { scenario, at } = loaded
  return {
    name: scenario.name ?? '',
    file,
    reproduce,
    strict,
    at: (path) => {
      const { file, line, column = 1 } = at(placeOfResult(scenario, path))
      return line === undefined ? undefined : { file: shownPath(folder, file), line, column }
    },
  }
}

/** Requests with keys of other namespaces are not judged, which must not go unnoticed. */
export function warnAboutOtherNamespaces(simulator: Simulator, { warn }: Terminal): void {
  const others = listOtherNamespaces(simulator)
  if (others === undefined) return
  warn(
    `greenroom: requests in other namespaces are not judged: ${others}. Use GREENROOM_KEY as it is; where ` +
      'config has keys, one of them must name no namespace.',
  )
}

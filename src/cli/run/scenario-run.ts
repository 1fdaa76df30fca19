import { dirname, resolve } from 'node:path'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import { watchRun, type RunNames } from '../../embedded/watched-run.ts'
import {
  commandExpectation,
  explainNothingAccepted,
  readTrace,
  withAbnormalEnd,
  type ClientEnd,
  type CollectedRun,
  type CommandOutcome,
  type Verdict,
} from '../../judge/index.ts'
import { placeOfResult } from '../../files/names.ts'
import type { LoadedScenario } from '../../files/types.ts'
import { type RunningServer, startServer, type ServerOptions } from '../../server/start.ts'
import { environmentOptions, exampleKey } from '../serve/config-file.ts'
import { exitCodes, type Terminal } from '../terminal/command.ts'
import { openJournal } from '../terminal/journal-file.ts'
import {
  describeExit,
  signalName,
  startChild,
  type Child,
  createRunFolder,
  runFolderVariable,
} from './child.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { describeCrash, type CrashPlan } from '../../gateway/crash-plan.ts'
import { startCrashing } from './crashes.ts'
import { outcomeLine, startReferenceClient } from './reference-client.ts'
import { watchExpectedFile } from './expected-file.ts'
import {
  explainNoRequests,
  judgedNamespace,
  warnAboutOtherNamespaces,
  hintAtDeadline,
  hintAtVirtualTimers,
  watchRealSleeps,
} from './client-hints.ts'
import { withLongJournal } from './reports.ts'
import type { RunArguments } from './run-flags.ts'
import { pluralize } from '../../engine/wording.ts'
import { shortenPath } from './scenarios.ts'
import { watchForStall } from './stall-watch.ts'

/** One run of a scenario. */
interface ScenarioRun extends Omit<RunArguments, 'config' | 'apis' | 'seeds' | 'reports'> {
  readonly loaded: LoadedScenario
  /** The file's name for messages; undefined without a scenario. */
  readonly file: string | undefined
  readonly options: ServerOptions
  /** The words of the command; empty for the reference client. */
  readonly command: readonly string[]
  /** Variables that would have the key of a real gateway. Those of the file override them. */
  readonly keys: Readonly<Record<string, string>>
  /** The command line that repeats the run. */
  readonly reproduce: string
  /** Whether to return the exchanges. */
  readonly isTraced: boolean
}

interface ScenarioResult {
  /** The exit code for this run. */
  readonly code: number
  /** Undefined if the run was interrupted. */
  readonly verdict: Verdict | undefined
  /** The exchanges, if they were requested. */
  readonly trace?: CollectedRun['trace']
}

/**
 * Starts a server for a scenario, runs the command or the reference client against it, judges, and stops everything.
 * @throws {ServerError} {FileError} {UsageError} if it can't start.
 */
export async function runScenario(run: ScenarioRun, terminal: Terminal): Promise<ScenarioResult> {
  const { options, journal } = run
  const { folder, environment, warn } = terminal
  const recording =
    journal === undefined ? undefined : await openJournal(journal, options, { folder, replace: true })
  const server = await startServer({
    ...options,
    ...environmentOptions(options, environment),
    ...(run.isTraced && { limits: withLongJournal(options.limits), bodies: true }),
    ...(recording && { between: recording.between }),
    onWarning: (message) => warn(`warning: ${message}`),
  })
  try {
    const result = await judgeClient(server, run, terminal)
    return run.isTraced ? { ...result, trace: readTrace(server.simulator, judgedNamespace) } : result
  } finally {
    await server.close()
    await recording?.end()
  }
}

async function judgeClient(
  server: RunningServer,
  scenarioRun: ScenarioRun,
  terminal: Terminal,
): Promise<ScenarioResult> {
  const { simulator } = server
  const { expect = {} } = scenarioRun.loaded.scenario
  let outcome: CommandOutcome | undefined
  let clientEnd: ClientEnd | undefined
  const names = { ...namesOf(scenarioRun, terminal), command: () => outcome, end: () => clientEnd }
  const run = watchRun(simulator, judgedNamespace, expect, names)
  const stall = watchForStall(simulator, scenarioRun.limitMs)
  const sleeps = watchRealSleeps(simulator.namespaces.get(judgedNamespace).journal)
  const folder = await createRunFolder()
  try {
    const client = await startClient(server, scenarioRun, terminal, {
      path: folder.path,
      onRestart: run.restarted,
    })
    const end = await Promise.race([
      client.ended,
      stall.found.then((why) => ({ why })),
      terminal.interrupted.then(() => undefined),
    ]).finally(client.end)
    if (end === undefined) return { code: exitCodes.interrupted, verdict: undefined }
    outcome = await client.outcome(end)
    if (typeof end === 'number') {
      clientEnd = end === 0 && !client.hasGivenUp() ? 'succeeded' : 'failed'
      await run.settled()
    }
    const verdict = await run.verdict()
    const noRequests = explainNoRequests(simulator, client.variables, { hasSucceeded: end === 0 })
    if (noRequests === undefined) warnAboutOtherNamespaces(simulator, terminal)
    if (simulator.control.clock.status(judgedNamespace).mode === 'auto')
      hintAtVirtualTimers(sleeps.totalMs(), scenarioRun.variableFlags, terminal)
    if (typeof end === 'object') {
      terminal.warn(`error: The run is stalled: ${end.why}`)
      hintAtDeadline(simulator, terminal)
      const reason = { expected: 'completes', actual: end.why }
      return { code: exitCodes.stalled, verdict: withAbnormalEnd(verdict, 'run', reason) }
    }
    if (typeof end === 'string') {
      const reason = { expected: 'can do its steps', actual: end }
      return { code: exitCodes.expectationFailed, verdict: withAbnormalEnd(verdict, 'drive', reason) }
    }
    const entries = simulator.namespaces.get(judgedNamespace).journal.entries()
    const unserved = scenarioRun.command.length === 0 ? findUnserved(entries) : undefined
    if (unserved !== undefined) {
      const reason = { expected: 'is served by the simulator', actual: unserved }
      return { code: exitCodes.cannotStart, verdict: withAbnormalEnd(verdict, 'drive', reason) }
    }
    const refused = explainNothingAccepted(entries, expect)
    if (end !== 0 && refused !== undefined) terminal.warn(`error: ${refused}`)
    if (end !== 0 && commandExpectation(expect).exit === undefined) {
      if (noRequests !== undefined) terminal.warn(`error: ${noRequests}`)
      const reason = { expected: 'exits with 0', actual: describeExit(end) }
      // Without requests, this result causes every other one.
      const alone = noRequests === undefined ? verdict : { ...verdict, results: [] }
      return { code: end, verdict: withAbnormalEnd(alone, 'command', reason) }
    }
    const [missed] = client.plan?.pending ?? []
    if (missed) {
      const actual = `the client sent ${pluralize(missed.count, 'such request')}`
      const reason = { expected: `crashes at ${describeCrash(missed.crash)}`, actual }
      return { code: exitCodes.expectationFailed, verdict: withAbnormalEnd(verdict, 'run', reason) }
    }
    const { command, strict } = scenarioRun
    const mayBeEmpty = strict.isExplicit && !strict.isOn
    if (command.length > 0 && noRequests !== undefined && !(mayBeEmpty && verdict.passed)) {
      const reason = { expected: 'sends a request', actual: noRequests }
      // Without requests, this result causes every other one, except those of the command.
      const results = verdict.results.filter(({ path }) => /^command(?:\.|$)/.test(path))
      return { code: exitCodes.noRequests, verdict: withAbnormalEnd({ ...verdict, results }, 'run', reason) }
    }
    if (refused !== undefined) {
      const reason = { expected: 'a request is accepted', actual: refused }
      return { code: exitCodes.expectationFailed, verdict: withAbnormalEnd(verdict, 'run', reason) }
    }
    return { code: verdict.passed ? exitCodes.ok : exitCodes.expectationFailed, verdict }
  } finally {
    stall.stop()
    sleeps.stop()
    run.stop()
    await folder.remove()
  }
}

/** The first request of the reference client that the simulator itself could not serve, such as a video that it can't render. */
function findUnserved(entries: readonly JournalEntry[]): string | undefined {
  const found = entries.find(
    ({ outcome, fault, rules, internalError }) =>
      internalError !== undefined || (outcome === 'failed' && fault === null && rules.length === 0),
  )
  if (!found) return undefined
  const { number, method, path, status, internalError, hint } = found
  return `#${number} ${method} ${path} got ${status}: ${internalError ?? hint ?? 'its bytes could not be made'}`
}

/** The command, or the reference client. */
interface Client {
  /** Resolves with the exit code. For the reference client: 0, or a text about its failure. */
  readonly ended: Promise<number | string>
  readonly end: () => Promise<void>
  /** Whether the reference client gave up. */
  readonly hasGivenUp: () => boolean
  /** The output and files of a command, after `end`; undefined for the reference client. */
  readonly outcome: (ended: unknown) => Promise<CommandOutcome | undefined>
  /** The variables by which a command finds the server. */
  readonly variables: Readonly<Record<string, string>>
  /** When a command crashes. */
  readonly plan?: CrashPlan
}

async function startClient(
  server: RunningServer,
  run: ScenarioRun,
  terminal: Terminal,
  { path, onRestart }: { readonly path: string; readonly onRestart: () => void },
): Promise<Client> {
  const { config, drive = [], expect = {}, crash: crashes = [] } = run.loaded.scenario
  const key = exampleKey(run.options)
  if (run.command.length === 0)
    return toClient(startReferenceClient(drive, server, { key, apis: run.options.apis }), terminal)
  const variables = sdkEnvironment(
    { url: server.url, key, runDir: path },
    { [runFolderVariable]: path, ...run.keys, ...config?.env, ...run.variables },
  )
  const { stdout, stderr, file } = commandExpectation(expect)
  const ownFolders = run.loaded.files.slice(0, 1).map((path) => dirname(resolve(terminal.folder, path)))
  const folders = [terminal.folder, ...ownFolders]
  const readFile = file && (await watchExpectedFile(file.path, folders))
  const ignore = (): void => {}
  const copies = {
    stdout: stdout && (terminal.copyOutput ?? ignore),
    stderr: stderr && (terminal.copyErrors ?? ignore),
  }
  const child = await startCrashing({
    server,
    crashes,
    start: () => startChild(run.command, terminal, variables, copies),
    onRestart: (crash) => {
      terminal.warn(`crash: the command was killed at ${describeCrash(crash)}, and is started again`)
      onRestart()
    },
  })
  return {
    ended: child.ended,
    end: child.end,
    plan: child.plan,
    variables,
    hasGivenUp: () => false,
    outcome: (code) => readOutcome(code, child, readFile),
  }
}

function toClient({ ended, end }: ReturnType<typeof startReferenceClient>, { print }: Terminal): Client {
  let hasGivenUp = false
  const code = ended.then((outcomes) => {
    hasGivenUp = outcomes.some((outcome) => outcome.ended !== 'succeeded')
    for (const outcome of outcomes) print(outcomeLine(outcome))
    const failed = outcomes.find((outcome) => outcome.ended === 'impossible')
    return failed ? `${failed.name}: ${failed.reason}` : exitCodes.ok
  })
  code.catch(() => {})
  return {
    ended: code,
    end,
    hasGivenUp: () => hasGivenUp,
    outcome: async () => undefined,
    variables: {},
  }
}

async function readOutcome(
  code: unknown,
  child: Child,
  readFile: Awaited<ReturnType<typeof watchExpectedFile>> | undefined,
): Promise<CommandOutcome> {
  const exit = typeof code === 'number' ? code : null
  const signal = exit === null ? undefined : signalName(exit)
  const [output, errors] = [child.output(), child.errors()]
  return {
    exit,
    ...(signal !== undefined && { signal }),
    stdout: output.text,
    stderr: errors.text,
    ...(!output.isWhole && { stdoutBytes: output.bytes }),
    ...(!errors.isWhole && { stderrBytes: errors.bytes }),
    ...(readFile && { file: await readFile() }),
  }
}

function namesOf(
  { loaded, file, reproduce, strict: { isOn: strict } }: ScenarioRun,
  { folder }: Terminal,
): RunNames {
  if (file === undefined) return { reproduce, strict, isWithoutScenario: true }
  const { scenario, at } = loaded
  return {
    name: scenario.name ?? '',
    file,
    reproduce,
    strict,
    at: (path) => {
      const { file, line, column = 1 } = at(placeOfResult(scenario, path))
      return line === undefined ? undefined : { file: shortenPath(folder, file), line, column }
    },
  }
}

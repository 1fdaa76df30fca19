import { createHash } from 'node:crypto'
import { sdkEnvironment } from '../../../embedded/sdk-environment.ts'
import { watchRun } from '../../../embedded/watched-run.ts'
import {
  endOf,
  maxRequests,
  normalizeResult,
  type ClientRun,
  type RunClient,
} from '../../../judge/explore/index.ts'
import { readTrace, type CommandOutcome } from '../../../judge/index.ts'
import type { LoadedScenario } from '../../../files/types.ts'
import { startServer } from '../../../server/start.ts'
import type { Simulator } from '../../../simulator/simulator.ts'
import { environmentOptions, exampleKey } from '../../serve/config-file.ts'
import type { Terminal } from '../../terminal/command.ts'
import type { CrashPlan } from '../../../gateway/crash-plan.ts'
import { describeExit, startChild, createRunFolder, runFolderVariable, type Child } from '../child.ts'
import { startCrashing } from '../crashes.ts'
import { outcomeLine, startReferenceClient } from '../reference-client.ts'
import { explainNoRequests, judgedNamespace, watchRealSleeps } from '../client-hints.ts'
import { withLongJournal } from '../reports.ts'
import { scenarioOptions } from '../scenarios.ts'
import { watchForStall } from '../stall-watch.ts'
import type { StartMeter } from './start-meter.ts'

/** How to run the client repeatedly. */
interface ExploredCommand {
  /** Empty for the reference client. */
  readonly command: readonly string[]
  /** Variables of the command. */
  readonly variables: Readonly<Record<string, string>>
  /** Variables that would have the key of a real gateway. Those of the scenario override them. */
  readonly keys: Readonly<Record<string, string>>
  /** The real time that a run may take, and the real time after which a client should give up a response. */
  readonly limitMs: number
  /** Measures how long the command takes to start. */
  readonly starts: StartMeter
}

/** How a client ended. */
type ClientEnd = Pick<ClientRun, 'ended' | 'reason' | 'output' | 'hasCrashed' | 'result'> & {
  readonly stdout?: string
}

/** A run of the command, with the facts that explain why it made no requests. */
export interface CommandRun extends ClientRun {
  readonly exitCode: number
  readonly noRequests: string | undefined
  /** How long the client slept in real time, in milliseconds. */
  readonly sleptMs: number
}

/** A client that hung once will soon hang at the same place. */
const shortPatienceMs = 5_000

/**
 * How long to wait for the deadline of a client that hung before.
 * @param longestMs the longest time after which it gave up a response in another run.
 */
const patienceAfterHang = (longestMs: number): number => shortPatienceMs + 2 * longestMs

/** Runs the command against a simulator in this process. Only the command is started for each run. */
export function exploredCommand(explored: ExploredCommand, ownTerminal: Terminal): RunClient {
  const terminal = withOneCleanUp(ownTerminal)
  let longestMs = 0
  return async (scenario, runOptions): Promise<CommandRun> => {
    const { signal, onIdle, maxVirtualMs, isRepetition = false, hasHung = false } = runOptions
    const options = scenarioOptions({ scenario } as LoadedScenario, {})
    const server = await startServer({
      ...options,
      ...environmentOptions(options, terminal.environment),
      ...(isRepetition && { limits: withLongJournal(options.limits), bodies: true }),
      onWarning: () => {},
    })
    const { simulator } = server
    const cleanUps: (() => void)[] = []
    let removeFolder = async (): Promise<void> => {}
    try {
      let outcome: CommandOutcome | undefined
      let clientEnd: ClientEnd['ended'] | undefined
      const watched = watchRun(simulator, judgedNamespace, scenario.expect ?? {}, {
        command: () => outcome,
        end: () => endOf(clientEnd),
      })
      cleanUps.push(watched.stop)
      const { journal } = simulator.namespaces.get(judgedNamespace)
      const sleeps = watchRealSleeps(journal)
      cleanUps.push(sleeps.stop)
      const folder = await createRunFolder()
      removeFolder = folder.remove
      const variables = sdkEnvironment(
        { url: server.url, key: exampleKey(options), runDir: folder.path },
        {
          [runFolderVariable]: folder.path,
          ...explored.keys,
          ...scenario.config?.env,
          ...explored.variables,
        },
      )
      const { crash: crashes = [], drive = [] } = scenario
      const starting = explored.starts.watch(journal)
      cleanUps.push(starting.end)
      const start = (): Promise<Child> => {
        starting.start()
        return startChild(explored.command, terminal, variables, {}, true)
      }
      const client =
        explored.command.length > 0
          ? toClient(await startCrashing({ server, crashes, start, onRestart: watched.restarted }))
          : toReferenceClient(
              startReferenceClient(drive, server, { key: exampleKey(options), apis: options.apis }),
            )
      const stall = watchForStall(simulator, explored.limitMs, {
        patienceMs: Math.min(explored.limitMs, hasHung ? patienceAfterHang(longestMs) : Infinity),
        onIdle,
        onBack: (tookMs) => (longestMs = Math.max(longestMs, tookMs)),
      })
      cleanUps.push(stall.stop)
      const end = await Promise.race([
        client.ended,
        untilAborted(signal),
        stall.found.then((why) => hang(why)),
        waitForBound(simulator, maxVirtualMs),
      ]).finally(client.end)
      const exitCode = typeof end === 'number' ? end : 1
      const of = typeof end === 'object' ? end : client.read(exitCode)
      if (explored.command.length > 0)
        outcome = { exit: typeof end === 'number' ? end : null, stdout: of.stdout ?? '' }
      clientEnd = of.ended
      if (typeof end === 'number') await watched.settled()
      const verdict = await watched.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      const normalize = (text: string): string =>
        normalizeResult(maskRun(text, server.url, folder.path), ids, sha256)
      const hasSucceeded = of.ended === 'succeeded'
      return {
        ...of,
        reason: maskPlace(of.reason, server.url, folder.path),
        result: hasSucceeded ? normalize(of.result) : '',
        lines: hasSucceeded
          ? (of.stdout ?? '')
              .trim()
              .split('\n')
              .map((line) => normalize(line.trim()))
          : [],
        exchanges: journal.entries(),
        operations: simulator.operations,
        crashes: client.plan?.past ?? [],
        verdict,
        exitCode,
        noRequests: explainNoRequests(simulator, variables, { hasSucceeded }),
        sleptMs: sleeps.totalMs(),
        hasRealTimeouts: explored.command.length > 0 && hasRealTimeouts(simulator),
        isOutside: of.ended === 'hung' && stall.isOutside(),
        mayEndLater: explored.command.length > 0 && mayEndLater(simulator),
        isRealTime: explored.command.length > 0 && isRealTime(simulator),
        ...(isRepetition && { trace: readTrace(simulator, judgedNamespace) }),
      }
    } finally {
      for (const cleanUp of cleanUps) cleanUp()
      await server.close()
      await removeFolder()
    }
  }
}

/** Whether no time-out of a command is on the clock: it opened no deadline there, and takes no part by its timers. */
function hasRealTimeouts({ namespaces, control }: Simulator): boolean {
  const { journal, clock } = namespaces.get(judgedNamespace)
  const isReal = control.clock.status(judgedNamespace).mode === 'real'
  return (
    !isReal && !clock.auto.deadlines.hasOpened && journal.entries().some(({ timing }) => timing !== 'exact')
  )
}

/** Whether a deadline over many requests may pass in real time, such as `context.WithTimeout` in Go. */
const mayEndLater = (simulator: Simulator): boolean =>
  isRealTime(simulator) && !simulator.namespaces.get(judgedNamespace).clock.auto.deadlines.hasOpened

/** Whether the client waits in real time, because its process takes no part in the clock. */
function isRealTime({ namespaces }: Simulator): boolean {
  const { journal } = namespaces.get(judgedNamespace)
  return journal.entries().some(({ timing }) => timing !== 'exact')
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** Many commands run at once, so the process gets one listener for all of them. */
function withOneCleanUp(terminal: Terminal): Terminal {
  const cleanUps = new Set<() => void>()
  terminal.atExit?.(() => {
    for (const cleanUp of cleanUps) cleanUp()
  })
  const atExit = (cleanUp: () => void): (() => void) => {
    cleanUps.add(cleanUp)
    return () => void cleanUps.delete(cleanUp)
  }
  return { ...terminal, atExit }
}

const hang = (why: string): ClientEnd => ({
  ended: 'hung',
  reason: why.split('\n')[0]!,
  output: '',
  hasCrashed: false,
  result: '',
})

/** Resolves when the client exceeds the requests or the virtual time of any good client. */
function waitForBound({ namespaces, control }: Simulator, maxVirtualMs: number): Promise<ClientEnd> {
  const { journal } = namespaces.get(judgedNamespace)
  const start = control.clock.now(judgedNamespace)
  return new Promise((resolve) => {
    const stop = journal.subscribe(({ number, at }) => {
      if (number <= maxRequests && at - start <= maxVirtualMs) return
      stop()
      resolve({ ...hang(`${number} requests`), ended: 'endless' })
    })
  })
}

interface Client {
  readonly ended: Promise<number>
  readonly end: () => Promise<void>
  readonly read: (code: number) => ClientEnd
  readonly plan?: CrashPlan
}

function toClient(child: Awaited<ReturnType<typeof startCrashing>>): Client {
  const read = (code: number): ClientEnd => {
    const [stdout, stderr] = [child.output().text, child.errors().text]
    return {
      ended: code === 0 ? 'succeeded' : 'failed',
      reason: code === 0 ? '' : `${describeExit(code)}: ${errorLine(stderr || stdout)}`,
      output: `${stdout}\n${stderr}`,
      hasCrashed: code !== 0 && crash.test(stderr) && !networkError.test(stderr),
      result: lastLine(stdout),
      stdout,
    }
  }
  return { ended: child.ended, end: child.end, read, plan: child.plan }
}

function toReferenceClient({ ended, end }: ReturnType<typeof startReferenceClient>): Client {
  let [output, result] = ['', '']
  const code = ended.then((outcomes) => {
    output = outcomes.map(outcomeLine).join('\n')
    result = JSON.stringify(outcomes.map(({ files, text }) => ({ files, text })))
    return outcomes.every((outcome) => outcome.ended === 'succeeded') ? 0 : 1
  })
  code.catch(() => {})
  const read = (exit: number): ClientEnd => ({
    ended: exit === 0 ? 'succeeded' : 'failed',
    reason: output,
    output,
    hasCrashed: false,
    result,
  })
  return { ended: code, end, read }
}

/** Uncaught mistakes of a program, in several languages. */
const crash =
  /^\s*(?:Uncaught )?(?:TypeError|ReferenceError|RangeError|AttributeError|KeyError|IndexError|panic: runtime error|.*NullPointerException)/m
const networkError = /^\s*TypeError: (?:fetch failed|terminated|Failed to fetch)/m

/** The line of an output that describes the error. */
function errorLine(output: string): string {
  const lines = output.trim().split('\n')
  // Node first prints the statement that threw, such as `Error.captureStackTrace(err);`.
  const patterns = [/^\s*(?:Uncaught )?[\w.]*(?:Error|Exception|panic)\b(?![.(])/, /error|failed/i]
  const line =
    patterns.map((pattern) => lines.find((each) => pattern.test(each))).find(Boolean) ?? lines.at(-1)!
  return line.trim().slice(0, 200)
}

/** The last line of a command is its result. Earlier lines may depend on the number of its attempts. */
function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)!.trim()
}

/** Masks the URL and the folder of a run. */
function maskPlace(text: string, url: string, folder: string): string {
  const { host } = new URL(url)
  return text.replaceAll(url, '${url}').replaceAll(host, '${host}').replaceAll(folder, '${runDir}')
}

/** Masks the parts of a result that differ in each run. */
function maskRun(text: string, url: string, folder: string): string {
  return maskPlace(text, url, folder).replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|m|min|seconds?|minutes?)\b/g, '…s')
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

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
import type { LoadedScenario } from '../../../scenario/files/types.ts'
import type { RunningServer } from '../../../server/start.ts'
import { startServer } from '../../../server/start.ts'
import type { Simulator } from '../../../simulator/simulator.ts'
import { environmentOptions, exampleKey } from '../../serve/config-file.ts'
import type { Terminal } from '../../terminal/command.ts'
import type { CrashPlan } from '../../../gateway/crash-plan.ts'
import { describeExit, startChild } from '../child.ts'
import { startCrashing, type CrashingCommand } from '../crashes.ts'
import { createRunFolder, runFolderVariable } from '../run-folder.ts'
import { driveScenario, outcomeLine } from '../drive-scenario.ts'
import { explainNoRequests, judgedNamespace } from '../no-requests.ts'
import { withLongJournal } from '../reports.ts'
import { scenarioOptions } from '../scenarios.ts'
import { watchRealSleeps } from '../real-sleeps.ts'
import { watchForStall } from '../stall-watch.ts'

/** How to run the client repeatedly. */
export interface ExploredCommand {
  /** Empty for the reference client. */
  readonly command: readonly string[]
  /** Variables of the command. */
  readonly variables: Readonly<Record<string, string>>
  /** The real time that a run may take, and the real time after which a client should give up a response. */
  readonly limitMs: number
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
        { url: server.url, key: exampleKey(options) },
        { [runFolderVariable]: folder.path, ...scenario.config?.env, ...explored.variables },
      )
      const ofRun = { terminal, server, crashes: scenario.crash ?? [], onRestart: watched.restarted }
      const client =
        explored.command.length > 0
          ? await startCommand(explored.command, variables, ofRun)
          : startReferenceClient(server, scenario.drive ?? [], exampleKey(options))
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
      const verdict = await watched.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      return {
        ...of,
        result:
          of.ended === 'succeeded'
            ? normalizeResult(maskRun(of.result, server.url, folder.path), ids, sha256)
            : '',
        exchanges: journal.entries(),
        crashes: client.plan?.past ?? [],
        verdict,
        exitCode,
        noRequests: explainNoRequests(simulator, variables),
        sleptMs: sleeps.totalMs(),
        ...(isRepetition && { trace: readTrace(simulator, judgedNamespace) }),
      }
    } finally {
      for (const cleanUp of cleanUps) cleanUp()
      await server.close()
      await removeFolder()
    }
  }
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

async function startCommand(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  {
    terminal,
    server,
    ...crashing
  }: { terminal: Terminal; server: RunningServer } & Pick<CrashingCommand, 'crashes' | 'onRestart'>,
): Promise<Client> {
  const child = await startCrashing({
    ...crashing,
    simulator: server.simulator,
    start: async () => {
      const child = await startChild(command, terminal, variables, undefined, true)
      return { child, unfollow: server.follow(child.pid) }
    },
  })
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

function startReferenceClient(
  server: RunningServer,
  steps: Parameters<typeof driveScenario>[0],
  key: string,
): Client {
  const over = new AbortController()
  let lines: string[] = []
  let result = ''
  const ended = driveScenario(steps, server, { key, ended: over.signal }).then((outcomes) => {
    lines = outcomes.map(outcomeLine)
    result = JSON.stringify(outcomes.map(({ files, text }) => ({ files, text })))
    return outcomes.every(({ ended }) => ended === 'succeeded') ? 0 : 1
  })
  ended.catch(() => {})
  const read = (code: number): ClientEnd => {
    const output = lines.join('\n')
    return { ended: code === 0 ? 'succeeded' : 'failed', reason: output, output, hasCrashed: false, result }
  }
  return { ended, end: async () => over.abort(), read }
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

/** Masks the parts of a result that differ in each run. */
function maskRun(text: string, url: string, folder: string): string {
  const masked = text.replaceAll(url, '${url}').replaceAll(folder, '${folder}')
  return masked.replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|m|min|seconds?|minutes?)\b/g, '…s')
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

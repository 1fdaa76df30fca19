import { createHash } from 'node:crypto'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { watchRun } from '../../embedded/watched-run.ts'
import {
  maxRequests,
  maxVirtualMs,
  normalizeResult,
  type ClientRun,
  type RunClient,
} from '../../judge/explore/index.ts'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import type { RunningServer } from '../../server/start.ts'
import { startServer } from '../../server/start.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { environmentOptions, exampleKey, type Config } from '../serve/config-file.ts'
import type { Terminal } from '../terminal/command.ts'
import { describeExit, startChild } from '../run/child.ts'
import { driveScenario, outcomeLine } from '../run/drive-scenario.ts'
import { explainNoRequests, judgedNamespace } from '../run/no-requests.ts'
import { scenarioOptions } from '../run/scenarios.ts'
import { watchForStall } from '../run/stall-watch.ts'

/** How to run the client again and again. */
export interface ExploredCommand {
  /** Empty for the reference client. */
  readonly command: readonly string[]
  readonly config: Config
  /** Variables of the command. */
  readonly variables: Readonly<Record<string, string>>
  /** Real time that a run may take, and that a client may take to give up a response that never comes. */
  readonly limitMs: number
  readonly patienceMs: number
}

/** The end of a client, before anything else is known of the run. */
type ClientEnd = Pick<ClientRun, 'ended' | 'reason' | 'output' | 'hasCrashed'> & { readonly result: string }

/** What a run of the command needs to explain why it made no request. */
export interface CommandRun extends ClientRun {
  readonly exitCode: number
  readonly noRequests: string | undefined
}

/** Runs the command against a simulator in this process: only the command is started each time. */
export function exploredCommand(explored: ExploredCommand, terminal: Terminal): RunClient {
  return async (scenario, { signal, onIdle }): Promise<CommandRun> => {
    const options = scenarioOptions({ scenario } as LoadedScenario, explored.config)
    const server = await startServer({
      ...options,
      ...environmentOptions(options, terminal.environment),
      onWarning: () => {},
    })
    const { simulator } = server
    const watched = watchRun(simulator, judgedNamespace, scenario.expect ?? {})
    const stall = watchForStall(simulator, explored.limitMs, {
      graceMs: explored.patienceMs,
    })
    const standstill = watchForStandstill(simulator, explored.patienceMs, onIdle)
    const variables = sdkEnvironment(
      { url: server.url, key: exampleKey(options) },
      { ...scenario.config?.env, ...explored.variables },
    )
    let onAbort = (): void => {}
    try {
      const client =
        explored.command.length > 0
          ? await startCommand(explored.command, variables, terminal)
          : startReferenceClient(server, scenario.drive ?? [], exampleKey(options))
      const interrupt = new Promise<undefined>((resolve) => {
        if (signal.aborted) resolve(undefined)
        onAbort = (): void => resolve(undefined)
        signal.addEventListener('abort', onAbort)
      })
      const end = await Promise.race([
        client.ended,
        interrupt,
        stall.found.then((why) => hang(why)),
        standstill.found,
        waitForBound(simulator),
      ]).finally(client.end)
      const exitCode = typeof end === 'number' ? end : 1
      const of = typeof end === 'object' ? end : client.read(exitCode)
      const verdict = await watched.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      return {
        ...of,
        result: of.ended === 'succeeded' ? normalizeResult(maskRun(of.result, server.url), ids, sha256) : '',
        exchanges: simulator.namespaces.get(judgedNamespace).journal.entries(),
        verdict,
        exitCode,
        noRequests: explainNoRequests(simulator, variables),
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      standstill.stop()
      stall.stop()
      watched.stop()
      await server.close()
    }
  }
}

const hang = (why: string): ClientEnd => ({
  ended: 'hung',
  reason: why.split('\n')[0]!,
  output: '',
  hasCrashed: false,
  result: '',
})

const checkMs = 100

/** A client that computes is still for a moment, too. */
const minStillMs = 1_000

/**
 * Tells a client that hangs by the clock: there are waiters, and nothing can wake any of them. Only a deadline of the client
 * itself, in real time, can end that.
 */
function watchForStandstill(
  { namespaces, control }: Simulator,
  patienceMs: number,
  onIdle: () => void,
): { readonly found: Promise<ClientEnd>; readonly stop: () => void } {
  let timer: ReturnType<typeof hostTimers.setTimeout>
  let latest = ''
  let sinceMs = hostTimers.elapsedMs()
  let isIdle = false
  const found = new Promise<ClientEnd>((resolve) => {
    const check = (): void => {
      const { waiters, nextWaiter, now, why } = control.clock.status(judgedNamespace)
      const state = `${now} ${waiters} ${namespaces.get(judgedNamespace).journal.nextNumber}`
      const isStill = waiters > 0 && nextWaiter === null && state === latest
      if (!isStill) [sinceMs, isIdle, latest] = [hostTimers.elapsedMs(), false, state]
      const stillMs = hostTimers.elapsedMs() - sinceMs
      if (stillMs >= minStillMs && !isIdle) {
        isIdle = true
        onIdle()
      }
      if (stillMs >= patienceMs) return resolve(hang(why))
      timer = hostTimers.setTimeout(check, checkMs)
    }
    check()
  })
  return { found, stop: () => hostTimers.clearTimeout(timer) }
}

/** Resolves when the client has made more requests, or taken more virtual time, than any good one does. */
function waitForBound({ namespaces, control }: Simulator): Promise<ClientEnd> {
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
}

async function startCommand(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  terminal: Terminal,
): Promise<Client> {
  const child = await startChild(command, terminal, variables, undefined, true)
  const read = (code: number): ClientEnd => {
    const [stdout, stderr] = [child.output().text, child.errors().text]
    return {
      ended: code === 0 ? 'succeeded' : 'failed',
      reason: code === 0 ? '' : `${describeExit(code)}: ${errorLine(stderr || stdout)}`,
      output: `${stdout}\n${stderr}`,
      hasCrashed: code !== 0 && crash.test(stderr) && !networkError.test(stderr),
      result: lastLine(stdout),
    }
  }
  return { ended: child.ended, end: child.end, read }
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

/** The line of an output that says what went wrong. */
function errorLine(output: string): string {
  const lines = output.trim().split('\n')
  const line = lines.find((each) => /error|failed|panic/i.test(each)) ?? lines.at(-1)!
  return line.trim().slice(0, 200)
}

/** What a command prints last is its result; before that may stand how often it tried. */
function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)!.trim()
}

/** A result without what differs in each run. */
function maskRun(text: string, url: string): string {
  return text.replaceAll(url, '${url}').replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|m|min|seconds?|minutes?)\b/g, '…s')
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

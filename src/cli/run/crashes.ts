import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { CrashPlan, type Crash } from '../../gateway/crash-plan.ts'
import type { RunningServer } from '../../server/start.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import type { CapturedOutput, Child } from './child.ts'
import { judgedNamespace } from './client-hints.ts'

/** How to run a command that crashes. */
export interface CrashingCommand {
  readonly server: Pick<RunningServer, 'simulator' | 'follow'>
  readonly crashes: readonly Crash[]
  readonly start: () => Promise<Child>
  /** Called before the command is started again. */
  readonly onRestart: (crash: Crash) => void
}

/**
 * Starts a command that is killed with its group at requests, and started again. Its exit code is that of the last process; its output
 * is that of all.
 */
export async function startCrashing(command: CrashingCommand): Promise<Child & { readonly plan: CrashPlan }> {
  const { server, crashes, onRestart } = command
  const space = server.simulator.namespaces.get(judgedNamespace)
  const start = async (): Promise<Child> => {
    const child = await command.start()
    void child.ended.then(server.follow(child.pid))
    return child
  }
  let current = await start()
  let [earlier, earlierErrors]: (CapturedOutput | undefined)[] = []
  let restarting: Promise<void> | undefined
  let hasEnded = false
  let takesPart = false
  let report: { resolve: (code: number) => void; reject: (error: unknown) => void }
  const ended = new Promise<number>((resolve, reject) => (report = { resolve, reject }))
  ended.catch(() => {})
  const watchEnd = (child: Child): void => {
    void child.ended.then((code) => {
      if (current === child && restarting === undefined) report.resolve(code)
    })
  }
  const restart = async (crash: Crash): Promise<void> => {
    takesPart ||= space.clock.auto.agents.size > 0
    await current.kill()
    earlier = joinOutput(earlier, current.output())
    earlierErrors = joinOutput(earlierErrors, current.errors())
    await untilGone(server.simulator)
    if (hasEnded) return
    onRestart(crash)
    plan.restart()
    current = await start()
    if (takesPart) await untilJoined(current)
  }
  /** Waits until a new process takes part in the clock. It may also end before, or crash again. */
  const untilJoined = async ({ ended }: Child): Promise<void> => {
    let isOver = false
    void ended.then(() => (isOver = true))
    await until(() => isOver || plan.isDown || space.clock.auto.agents.size > 0)
  }
  const plan = new CrashPlan(crashes, (crash) => {
    const own = (restarting ?? Promise.resolve())
      .then(() => restart(crash))
      .then(() => {
        if (restarting === own) restarting = undefined
        plan.resume()
        watchEnd(current)
      })
      .catch(report.reject)
    restarting = own
  })
  if (crashes.length > 0) space.crashes = plan
  watchEnd(current)
  return {
    get pid() {
      return current.pid
    },
    plan,
    ended,
    output: () => joinOutput(earlier, current.output()),
    errors: () => joinOutput(earlierErrors, current.errors()),
    kill: () => current.kill(),
    end: async () => {
      hasEnded = true
      await restarting
      await current.end()
    },
  }
}

function joinOutput(earlier: CapturedOutput | undefined, output: CapturedOutput): CapturedOutput {
  if (!earlier) return output
  const [text, bytes] = [earlier.text + output.text, earlier.bytes + output.bytes]
  return { text, bytes, isWhole: earlier.isWhole && output.isWhole }
}

/**
 * How often to look whether the connections of a process that was killed are closed, every 2 ms. A count, because a machine that
 * stops this process for a while must not end the wait before it has read anything.
 */
const maxChecks = 2_500

/**
 * Waits until the server has noticed the end of all connections of the process that was killed. A request that it sent next to
 * the one of the crash may still wait for its turn: it is lost, too.
 */
async function untilGone({ namespaces }: Simulator): Promise<void> {
  const { journal, clock } = namespaces.get(judgedNamespace)
  let checks = 0
  await until(
    () =>
      ++checks > maxChecks ||
      (journal.entries().every(({ outcome }) => outcome !== 'open') &&
        clock.auto.agents.ids().every(isRunning) &&
        !clock.auto.agents.hasTurns),
  )
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => void hostTimers.setTimeout(resolve, 2))
}

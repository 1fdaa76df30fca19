import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { CrashPlan, type Crash } from '../../gateway/crash-plan.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import type { CapturedOutput, Child } from './child.ts'
import { judgedNamespace } from './no-requests.ts'

/** How to run a command that crashes. */
export interface CrashingCommand {
  readonly simulator: Simulator
  readonly crashes: readonly Crash[]
  /** Starts the command, with all that watches its process. */
  readonly start: () => Promise<StartedChild>
  /** Called before the command is started again. */
  readonly onRestart: (crash: Crash) => void
}

/** A child, and what ends the watch of its process. */
export interface StartedChild {
  readonly child: Child
  readonly unfollow: () => void
}

/**
 * Starts a command that is killed with its group at requests, and started again. Its exit code is that of the last process; its output
 * is that of all.
 */
export async function startCrashing(command: CrashingCommand): Promise<Child & { readonly plan: CrashPlan }> {
  const { simulator, crashes, start, onRestart } = command
  const space = simulator.namespaces.get(judgedNamespace)
  let current = await start()
  let earlier: CapturedOutput | undefined
  let restarting: Promise<void> | undefined
  let hasEnded = false
  let report: { resolve: (code: number) => void; reject: (error: unknown) => void }
  const ended = new Promise<number>((resolve, reject) => (report = { resolve, reject }))
  ended.catch(() => {})
  const watchEnd = ({ child, unfollow }: StartedChild): void => {
    void child.ended.then((code) => {
      unfollow()
      if (current.child === child && restarting === undefined) report.resolve(code)
    })
  }
  const restart = async (crash: Crash): Promise<void> => {
    const hadAgents = space.clock.auto.agents.size > 0
    const { child } = current
    await child.kill()
    earlier = joinOutput(earlier, child.output())
    await untilGone(simulator)
    if (hasEnded) return
    onRestart(crash)
    plan.restart()
    current = await start()
    const { ended } = current.child
    if (hadAgents) await Promise.race([ended, until(() => space.clock.auto.agents.size > 0)])
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
      return current.child.pid
    },
    plan,
    ended,
    output: () => joinOutput(earlier, current.child.output()),
    errors: () => current.child.errors(),
    kill: () => current.child.kill(),
    end: async () => {
      hasEnded = true
      await restarting
      await current.child.end()
    },
  }
}

function joinOutput(earlier: CapturedOutput | undefined, output: CapturedOutput): CapturedOutput {
  if (!earlier) return output
  const [text, bytes] = [earlier.text + output.text, earlier.bytes + output.bytes]
  return { text, bytes, isWhole: earlier.isWhole && output.isWhole }
}

/** A connection of a process that was killed is closed within this real time. */
const maxCloseMs = 5_000

/** Waits until the server has noticed the end of all connections of the process that was killed. */
async function untilGone({ namespaces }: Simulator): Promise<void> {
  const { journal, clock } = namespaces.get(judgedNamespace)
  const deadlineMs = hostTimers.elapsedMs() + maxCloseMs
  await until(
    () =>
      (journal.entries().every(({ outcome }) => outcome !== 'open') &&
        clock.auto.agents.ids().every(isRunning)) ||
      hostTimers.elapsedMs() > deadlineMs,
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

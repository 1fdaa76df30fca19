import type { Simulator } from '../../simulator/simulator.ts'
import type { Terminal } from '../terminal/command.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { nameSendingLine } from '../../engine/sending-line.ts'
import { adviseAt, howToEndWaits, languageOf } from '../../judge/habits/how-to.ts'
import type { Journal } from '../../gateway/journal.ts'
import { runFolderVariable } from './child.ts'

/** The namespace that is judged. Keys that name no namespace belong to it. */
export const judgedNamespace = 'default'

const keyAdvice = 'Use GREENROOM_KEY unchanged; if config has keys, one of them must name no namespace.'

/**
 * Explains why a run has no requests to judge.
 * @param variables the variables with which the command was started.
 * @param hasSucceeded whether the command ended without an error, as one does that has nothing to do.
 * @returns undefined if there was a request.
 */
export function explainNoRequests(
  simulator: Pick<Simulator, 'namespaces'>,
  variables: Readonly<Record<string, string>>,
  { hasSucceeded = false }: { readonly hasSucceeded?: boolean } = {},
): string | undefined {
  if (simulator.namespaces.get(judgedNamespace).journal.nextNumber > 1) return undefined
  const others = listOtherNamespaces(simulator)
  if (others !== '')
    return `No request had the key that is judged, only keys of other namespaces: ${others}. ${keyAdvice}`
  const urls = Object.entries(variables).filter(([, value]) => /^https?:/.test(value))
  const list = urls.map(([name, value]) => `${name}=${value}`).join(', ')
  const emptied = Object.entries(variables).find(([, value]) => /^(?:\/v\d\w*)?$/.test(value))
  const folder = variables[runFolderVariable]
  const hasFolder = Object.entries(variables).some(
    ([name, value]) => name !== runFolderVariable && folder !== undefined && value.includes(folder),
  )
  const idle =
    hasSucceeded && !hasFolder
      ? ' A worker may also have nothing to do, because it finds its own state of the last run. Let it keep that in the folder of ' +
        `the run: --env 'MY_STATE_DIR=\${runDir}'.`
      : ''
  return (
    `No requests reached the simulator. The command was started with ${list}. Let its client read one of these, or ` +
    `name your own: --env 'MY_GATEWAY=\${url}'. Until then it may call, and pay, a real gateway.` +
    (emptied
      ? ` ${emptied[0]} is "${emptied[1]}": in double quotes, the shell itself replaces \${url}.`
      : '') +
    idle
  )
}

/** Warns of requests with keys of other namespaces, which are not judged. They are probably a mistake. */
export function warnAboutOtherNamespaces(simulator: Simulator, { warn }: Terminal): void {
  const others = listOtherNamespaces(simulator)
  if (others !== '') warn(`warning: Requests in other namespaces are not judged: ${others}. ${keyAdvice}`)
}

function listOtherNamespaces({ namespaces }: Pick<Simulator, 'namespaces'>): string {
  return namespaces
    .all()
    .filter(({ name, journal }) => name !== judgedNamespace && journal.nextNumber > 1)
    .map(({ name, journal }) => `${name} (${journal.nextNumber - 1})`)
    .join(', ')
}

/** Shorter pauses are usually a program that computes. */
const minSleepMs = 900

/** Less is not worth a hint. */
const minTotalMs = 3_000

/** Measures the real time between requests. */
interface RealSleeps {
  /** The sum of all long pauses between a response and the next request, in milliseconds. */
  readonly totalMs: () => number
  readonly stop: () => void
}

/** Measures how long a client is idle in real time between its requests. */
export function watchRealSleeps(journal: Pick<Journal, 'subscribe'>): RealSleeps {
  let totalMs = 0
  let isFirst = true
  let settledMs = 0
  const stop = journal.subscribe((_entry, what) => {
    const nowMs = hostTimers.elapsedMs()
    if (what === 'settled') settledMs = nowMs
    else if (!isFirst && nowMs - settledMs >= minSleepMs) totalMs += nowMs - settledMs
    isFirst = false
  })
  return { totalMs: () => totalMs, stop }
}

/** Suggests the flag for a client that sleeps in real time. */
export function hintAtVirtualTimers(
  realMs: number,
  variableFlags: readonly string[],
  { warn }: { readonly warn: (line: string) => void },
): void {
  if (realMs < minTotalMs) return
  const duration = formatDuration(Math.round(realMs / 1_000) * 1_000)
  const advice = variableFlags.includes('--virtual-timers')
    ? '--virtual-timers works in Node and Python. Let a program in another language sleep over HTTP: see docs/how-to/python-go.md.'
    : 'If it is a Node or Python program, --virtual-timers lets it sleep in virtual time. In another language, let it sleep over HTTP: see docs/how-to/python-go.md.'
  warn(`hint: The client slept ${duration} of real time. ${advice}`)
}

/** Says how to end a wait, in the language of a client that waits for a response. */
export function hintAtDeadline(
  { namespaces }: Pick<Simulator, 'namespaces'>,
  { warn }: { readonly warn: (line: string) => void },
): void {
  const entries = namespaces.get(judgedNamespace).journal.entries()
  const lines = entries.findLast(({ outcome, status }) => outcome !== 'completed' && status === 0)?.place
  if (lines === undefined || languageOf(lines) === undefined) return
  const place = nameSendingLine(
    lines,
    entries.flatMap((entry) => entry.place ?? []),
  )
  const advice = `Give the request at ${place} a deadline, such as a minute.`
  warn(`hint: ${adviseAt(place, advice, howToEndWaits)}`)
}

import { hostTimers, unref } from '../../../engine/clock/timers/host-timers.ts'
import { truncate } from '../../../engine/wording.ts'
import type { GatewayNamespace } from '../../../gateway/core.ts'
import type { JournalEntry, SentRequest } from '../../../gateway/journal.ts'
import { invariants } from '../../../judge/index.ts'
import type { InvariantState } from '../../../control/core.ts'
import { optionDefaults } from '../../../scenario/vocabulary/defaults.ts'
import type { RunningServer } from '../../../server/start.ts'
import type { RequestLog } from './log.ts'
import type { LoggedHeaders } from './request-line.ts'

/** How long an exchange waits for its line: too short for people to see. */
const writeEveryMs = 15

/** How often invariants are judged. */
const judgeEveryMs = 500

/** Headers that help to distinguish clients and requests. None of them contains a key. */
const headersOfInterest = ['user-agent', 'content-type', 'range', 'idempotency-key', 'x-greenroom-as']

/**
 * Logs each exchange when it has ended, and warns once of each invariant that clients violate.
 * @param options.program starts greenroom, for the commands of warnings.
 * @returns a function that logs the exchanges that have just ended.
 */
export function logSimulator(
  { simulator, url }: RunningServer,
  log: RequestLog,
  { verbose, program }: { readonly verbose: boolean; readonly program: string },
): () => void {
  const { control, namespaces } = simulator
  const warnOnce = warnOfViolations(log, (number, namespace) =>
    explainCommand(number, namespace, { url, program }),
  )
  // Written together a moment later: that costs less than a write for each.
  let ended: { entry: JournalEntry; headers: LoggedHeaders | undefined }[] = []
  const write = (): void => {
    const batch = ended
    ended = []
    for (const { entry, headers } of batch) log.request(entry, headers)
  }
  const follow = ({ name, journal }: GatewayNamespace): void => {
    // Starts judging with the first request.
    control.verdict(name)
    let isJudging = false
    const judge = (): void => {
      isJudging = false
      if (warnOnce(control.verdict(name).invariants, name)) judgeLater()
    }
    const judgeLater = (): void => {
      if (isJudging) return
      isJudging = true
      unref(hostTimers.setTimeout(judge, judgeEveryMs))
    }
    const headersOf = new WeakMap<JournalEntry, LoggedHeaders>()
    journal.subscribe((entry, event, sent) => {
      if (verbose && sent) headersOf.set(entry, readHeaders(sent()))
      if (event === 'admitted') return
      if (ended.length === 0) unref(hostTimers.setTimeout(write, writeEveryMs))
      ended.push({ entry, headers: verbose ? (headersOf.get(entry) ?? {}) : undefined })
      judgeLater()
    })
  }
  namespaces.onMade(follow)
  return write
}

/** Violations that a later request may correct are reported after this time. */
const mendableMs = 15_000
const mendable = new Set<string>(invariants.flatMap(({ name, isMendable }) => (isMendable ? [name] : [])))

/** @returns a function that warns once of each violated invariant. It returns whether one is pending. */
function warnOfViolations(
  log: Pick<RequestLog, 'warn'>,
  howToExplain: (number: number, namespace: string) => string,
): (reports: readonly InvariantState[], namespace: string) => boolean {
  const warned = new Set<string>()
  const pendingSince = new Map<string, number>()
  return (reports, namespace) => {
    let isPending = false
    for (const { name, verdict, first, advice = '' } of reports) {
      if (warned.has(name)) continue
      const kind = `${namespace}/${name}`
      if (verdict !== 'fail' || !first) {
        pendingSince.delete(kind)
        continue
      }
      const now = hostTimers.elapsedMs()
      const sinceMs = pendingSince.get(kind) ?? now
      pendingSince.set(kind, sinceMs)
      if (mendable.has(name) && now - sinceMs < mendableMs) {
        isPending = true
        continue
      }
      warned.add(name)
      const number = first.requests.at(-1)!
      log.warn(`${name}: ${first.message} ${advice} (${howToExplain(number, namespace)})`)
    }
    return isPending
  }
}

function explainCommand(
  number: number,
  namespace: string,
  { url, program }: { readonly url: string; readonly program: string },
): string {
  const where = url === `http://${optionDefaults.host}:${optionDefaults.port}` ? '' : ` --url ${url}`
  return `${program} explain ${number}${where}${namespace === 'default' ? '' : ` --namespace ${namespace}`}`
}

function readHeaders({ header }: SentRequest): LoggedHeaders {
  const named = headersOfInterest.map((name) => [name, truncate(header(name), 200)] as const)
  return Object.fromEntries(named.filter(([, value]) => value !== ''))
}

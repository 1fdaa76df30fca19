import { operationsWith } from '../../apis/index.ts'
import type { InvariantState } from '../../control/core.ts'
import type { ExplainedEntry } from '../../control/entry-schema.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { formatMs, isWaitKnown, judgeEntries, observedWaitMs, toOneLine } from '../../judge/index.ts'
import type { RuleReason } from '../../scenario/rules/rule.ts'
import {
  type Command,
  exitCodes,
  type Flags,
  readText,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import {
  askServer,
  entriesOf,
  readNamespace,
  readRecordingFile,
  sourceFlags,
  toJournalEntry,
} from './source.ts'

/** `greenroom explain`: why an exchange got its response. */
export const explain: Command = {
  argumentHelp: 'Number of the exchange, as in X-Greenroom-Exchange',
  options: sourceFlags,
  epilogue: [
    'Asks a running server, or reads a recording (--journal).',
    `Exit codes: ${exitCodes.usage} there is no such exchange or no server, ${exitCodes.badFile} the file can't be read.`,
  ],
  examples: [
    ['greenroom explain 16', 'explain request 16 of the server on port 4646'],
    ['greenroom explain 16 --journal run.jsonl', 'explain request 16 of a recording'],
  ],
  run: async ({ flags, args }, terminal) => {
    const number = readNumber(args[0]!)
    terminal.print(explanation(await findExchange(flags, number, terminal)))
    return exitCodes.ok
  },
}

interface FoundExchange {
  readonly entry: ExplainedEntry
  /** The instant from which virtual time is counted. */
  readonly startMs: number
  /** The exchanges of its namespace. */
  readonly entries: readonly ExplainedEntry[]
  /** The invariants, with their first violations. */
  readonly invariants: readonly InvariantState[]
}

async function findExchange(flags: Flags, number: number, terminal: Terminal): Promise<FoundExchange> {
  const namespace = readNamespace(flags)
  const file = readText(flags, 'journal')
  if (file === undefined) {
    const query = `?namespace=${encodeURIComponent(namespace)}`
    const entry = (await askServer(flags, `/journal/${number}${query}`, terminal)) as ExplainedEntry
    const entries = (await askServer(flags, `/journal${query}`, terminal)) as ExplainedEntry[]
    const verdict = (await askServer(flags, `/verdict${query}`, terminal)) as Pick<
      FoundExchange,
      'invariants'
    >
    return { entry, startMs: entries[0]?.at ?? entry.at, entries, invariants: verdict.invariants }
  }
  const recording = await readRecordingFile(file, flags, terminal)
  const entries = entriesOf(recording, namespace)
  const entry = entries.find((each) => each.number === number)
  if (entry) {
    const operations = operationsWith(recording.head.options['apis'])
    const { invariants } = judgeEntries(entries.map(toJournalEntry), { operations })
    return { entry, startMs: recording.head.start, entries, invariants }
  }
  const range = entries.length === 0 ? 'none' : `${entries[0]!.number} to ${entries.at(-1)!.number}`
  throw new UsageError(`${file} has no exchange ${number} in namespace "${namespace}"; it has ${range}.`)
}

function readNumber(text: string): number {
  const digits = /^#?0*([1-9]\d{0,8})$/.exec(text)?.[1]
  if (digits !== undefined) return Number(digits)
  throw new UsageError(`"${text}" is not the number of an exchange. Write one such as 12.`)
}

/**
 * The request and its response in a line, then the invariants that it violated first, then the reason of each rule.
 *
 * ```text
 * #3  GET video.content  task_x  00:00:40.000  ns default  -> 200, 16384 bytes, altered  by bit-rot
 *     key sk-te…st
 *     no-early-download: Task task_x had not ended when video.content was requested.  #3
 *     truncated    no   request 2 of this task, wanted 1
 *     bit-rot      YES  request 2 of this task
 *     other rules  no   another operation (2)
 * ```
 */
function explanation(found: FoundExchange): string {
  const { entry, startMs } = found
  const { number, method, operation, path, task, at, namespace, rules, reasons } = entry
  const head = [
    `#${number}`,
    `${method} ${operation ?? path}`,
    ...(task === null ? [] : [task]),
    formatTime(at - startMs),
    `ns ${namespace}`,
    `-> ${describeResponse(entry)}`,
    ...(rules.length === 0 ? [] : [`by ${rules.join(', ')}`]),
  ]
  const lines = [...describeDecision(entry), ...describeViolations(found), ...describeRules(reasons)]
  return [head.join('  '), ...lines.map((line) => `    ${line}`)].join('\n')
}

/** Describes the violations that a warning or a report names with this request. */
function describeViolations({ entry, entries, invariants }: FoundExchange): string[] {
  const find = (number: number | undefined): JournalEntry | undefined => {
    const found = entries.find((each) => each.number === number)
    return found && toJournalEntry(found)
  }
  return invariants.flatMap(({ name, verdict, first }) => {
    if (verdict !== 'fail' || !first?.requests.includes(entry.number)) return []
    const requests = first.requests.map(
      (number, index) => `#${number}${formatWait(find(first.requests[index - 1]), find(number))}`,
    )
    return [`${name}: ${toOneLine(first.message)}  ${requests.join(', ')}`]
  })
}

/** Formats the wait before a request. The message of an invariant has none in real time, which differs between runs. */
function formatWait(before: JournalEntry | undefined, next: JournalEntry | undefined): string {
  return before && next && isWaitKnown(next) ? ` after ${formatMs(observedWaitMs(before, next))}` : ''
}

/** The reason with which rules refer to another operation. */
const otherOperation = 'another operation'

/** Describes the rules, one per line. Rules for other operations share a line, and so do spent rules for the next request. */
function describeRules(reasons: readonly RuleReason[]): string[] {
  if (reasons.length === 0) return ['no rule was evaluated']
  const others = reasons.filter(({ fired, why }) => !fired && why === otherOperation)
  const spent = reasons.filter(({ rule, fired, why }) => !fired && isSpentNext(rule, why))
  const shared = [
    ...share(others, 'other rules', otherOperation),
    ...share(spent, 'spent rules', 'fired before, for one request each'),
  ]
  const lines = [
    ...reasons.filter((reason) => !others.includes(reason) && !spent.includes(reason)),
    ...shared,
  ]
  const width = Math.max(...lines.map(({ rule }) => rule.length))
  return lines.map(({ rule, fired, why }) => `${rule.padEnd(width)}  ${fired ? 'YES' : 'no '}  ${why}`)
}

/** Whether a rule comes from `sim.next()` or `POST /next` and has its default id. */
function isSpentNext(rule: string, why: string): boolean {
  return /^next-\d+$/.test(rule) && why.endsWith('times already')
}

function share(reasons: readonly RuleReason[], rule: string, why: string): readonly RuleReason[] {
  return reasons.length > 1 ? [{ rule, fired: false, why: `${why} (${reasons.length})` }] : reasons
}

function describeResponse(entry: ExplainedEntry): string {
  const { status, bytes, content, stream, fault, outcome, approximated } = entry
  const parts = [status === 0 ? 'no response' : String(status), `${bytes} bytes`]
  if (content !== null && content !== 'complete') parts.push(content)
  if (stream) parts.push(`${stream.chunks} chunks, ${stream.ended}`)
  if (fault !== null) parts.push(approximated ? `${fault}, approximated` : fault)
  if (outcome !== 'completed') parts.push(outcome)
  return parts.join(', ')
}

function describeDecision(entry: ExplainedEntry): string[] {
  const { key, model, prompt, reportedStatus, delayMs, retryAfterMs, assumed } = entry
  // JSON has no Infinity.
  const isEndless = delayMs === null || delayMs === Infinity
  const parts = [
    key === '' ? 'without a key' : `key ${key}`,
    ...(model === null ? [] : [`model ${model}`]),
    ...(reportedStatus === null ? [] : [`status ${reportedStatus}`]),
    ...(delayMs === 0 ? [] : [isEndless ? 'without a response' : `after ${delayMs} ms`]),
    ...(retryAfterMs === null ? [] : [`retry after ${retryAfterMs} ms`]),
    ...(assumed ? ['time moved by an assumption'] : []),
  ]
  return [parts.join(', '), ...(prompt === null ? [] : [`prompt ${JSON.stringify(prompt)}`])]
}

function formatTime(elapsedMs: number): string {
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes] = [elapsedMs / 3_600_000, (elapsedMs / 60_000) % 60]
  const seconds = ((elapsedMs % 60_000) / 1_000).toFixed(3).padStart(6, '0')
  return `${pad(hours)}:${pad(minutes)}:${seconds}`
}

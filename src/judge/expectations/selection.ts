import { fitsGlob } from '../../engine/glob.ts'
import type { Role } from '../../engine/operations/facts.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isAmong } from '../exchanges.ts'
import { fitsCount, formatCount, formatRange, parseDurationRange } from '../ranges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import { actualWords, conditionsOf, expectedWords } from '../../scenario/vocabulary/conditions/index.ts'
import type { RequestExpectation, StatusMatch } from '../../scenario/vocabulary/types.ts'

/** Selects the requests of an expectation. */
interface Selector {
  op?: string | readonly string[]
  role?: Role | readonly Role[]
  kind?: string
  taskNth?: number
  model?: string
}

/** Whether a request is selected. This is known at admission and does not change. */
export function isSelected(
  { op, role, kind, taskNth, model }: Selector,
  entry: JournalEntry,
  task: WatchedTask | undefined,
): boolean {
  return (
    (op === undefined || isAmong(op, entry.operation)) &&
    (role === undefined || [role].flat().some((each) => each === entry.role)) &&
    (kind === undefined || entry.kind === kind) &&
    (taskNth === undefined || task?.nth === taskNth) &&
    (model === undefined || fitsGlob(model, entry.model ?? task?.submission?.model ?? ''))
  )
}

/** Formats a selector: `video.poll of video task 2`. */
export function formatSelector(selector: Selector, operations: OperationTable): string {
  const { op, role, taskNth, model } = selector
  const kind = selector.kind ?? (taskNth === undefined ? undefined : operations.onlyKindOf(selector))
  const prefix = kind === undefined ? '' : `${kind} `
  const names = [op ?? [], role ?? []].map((each) => [each].flat().join(' or ')).filter((each) => each !== '')
  const of = taskNth === undefined ? '' : ` of ${prefix}task ${taskNth}`
  const kindNote = taskNth === undefined && kind !== undefined ? ` (${kind})` : ''
  return `${names.join(' as ')}${of}${kindNote}${model === undefined ? '' : ` by ${model}`}`
}

/**
 * Creates a matcher for the properties of exchanges. A property that is unknown until the exchange settles does not match
 * before that.
 * @throws {DurationError} for an invalid `ttfb`.
 */
export function createExchangeMatcher(wanted: RequestExpectation): (entry: JournalEntry) => boolean {
  const { status, stream, ttfb } = wanted
  const meets = conditionsOf(wanted)
  const fitsTtfb = parseDurationRange(ttfb)
  return (entry) =>
    (status === undefined || [status].flat().some((each) => fitsStatus(each, entry.status))) &&
    meets(entry) &&
    (fitsTtfb === undefined || (entry.firstByteAt !== null && fitsTtfb(entry.firstByteAt - entry.at))) &&
    (stream?.chunks === undefined ||
      (entry.stream !== null && fitsCount(stream.chunks, entry.stream.chunks))) &&
    (stream?.ended === undefined || entry.stream?.ended === stream.ended)
}

/** Whether a status is the expected one, or of the expected class. */
export function fitsStatus(wanted: StatusMatch, status: number): boolean {
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0])
}

/** Formats the expected properties; empty without any. */
export function formatProperties(wanted: RequestExpectation): string {
  const { status, stream, ttfb, body, headers, query } = wanted
  const words: string[] = []
  if (status !== undefined) words.push(`status ${[status].flat().join(' or ')}`)
  words.push(...expectedWords(wanted))
  if (stream?.chunks !== undefined) words.push(`${formatCount(stream.chunks)} chunks`)
  if (stream?.ended !== undefined) words.push(`stream ${stream.ended}`)
  if (ttfb !== undefined) words.push(`first byte after ${formatRange(ttfb, '0s')}`)
  if (body ?? headers ?? query) {
    const names = (kind: string, fields: object = {}): string[] =>
      Object.keys(fields).map((name) => `${kind} ${name}`)
    const fields = [...names('body', body), ...names('header', headers), ...names('query', query)]
    words.push(`sent as expected: ${fields.join(', ')}`)
  }
  return words.join(', ')
}

/** Formats the same properties of an actual exchange. */
export function formatExchange(entry: JournalEntry): string {
  const { status, stream, firstByteAt, at } = entry
  const words = [`status ${status}`, ...actualWords(entry)]
  if (stream) words.push(`${stream.chunks} chunks, stream ${stream.ended}`)
  if (firstByteAt !== null) words.push(`first byte after ${firstByteAt - at}ms`)
  return words.join(', ')
}

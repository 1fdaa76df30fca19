import { fitsGlob } from '../../engine/glob.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Channel, RequestExpectation, StatusMatch } from '../expectations/expect.ts'
import { channelOf, isAmong } from '../operations.ts'
import { countInWords, fitsCount, fitsRange, rangeInWords } from '../ranges.ts'
import { isAboutSent, sentInWords } from './sent.ts'
import type { WatchedTask } from '../watched-tasks.ts'

/** Which requests are meant. */
export interface Selector {
  op: string | readonly string[]
  channel?: Channel
  taskNth?: number
  model?: string
}

/** Whether a request is one of those that are meant. Known at admission, and true for ever. */
export function isMeant(
  { op, channel, taskNth, model }: Selector,
  entry: JournalEntry,
  task: WatchedTask | undefined,
): boolean {
  return (
    isAmong(op, entry.operation) &&
    (channel === undefined || channelOf(entry.operation) === channel) &&
    (taskNth === undefined || task?.nth === taskNth) &&
    (model === undefined || fitsGlob(model, entry.model ?? task?.submission?.model ?? ''))
  )
}

/** Whether an exchange went as it should. What isn't known before its end doesn't fit until then. */
export function matchesExpectation(wanted: RequestExpectation, entry: JournalEntry): boolean {
  const { status, outcome, content, stream, ttfb, rule, fault } = wanted
  return (
    (status === undefined || [status].flat().some((each) => fitsStatus(each, entry.status))) &&
    (outcome === undefined || entry.outcome === outcome) &&
    (content === undefined || entry.content === content) &&
    (rule === undefined || entry.rules.includes(rule)) &&
    (fault === undefined || entry.fault === fault) &&
    (ttfb === undefined || (entry.firstByteAt !== null && fitsRange(ttfb, entry.firstByteAt - entry.at))) &&
    (stream === undefined || (entry.stream !== null && fitsStream(stream, entry.stream)))
  )
}

function fitsStatus(wanted: StatusMatch, status: number): boolean {
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0])
}

function fitsStream(
  { chunks, ended }: NonNullable<RequestExpectation['stream']>,
  actual: NonNullable<JournalEntry['stream']>,
): boolean {
  return (
    (chunks === undefined || fitsCount(chunks, actual.chunks)) &&
    (ended === undefined || actual.ended === ended)
  )
}

/** Which requests are meant, in words: `video.poll of video task 2`. */
export function selectorInWords({ op, channel, taskNth, model }: Selector): string {
  const of = taskNth === undefined ? '' : ` of ${channel ?? channelOf([op].flat()[0]!) ?? ''} task ${taskNth}`
  const about = taskNth === undefined && channel !== undefined ? ` (${channel})` : ''
  return `${[op].flat().join(' or ')}${of.replace('  ', ' ')}${about}${model === undefined ? '' : ` by ${model}`}`
}

/** How they should go, in words; empty when nothing is said of it. */
export function manner(wanted: RequestExpectation): string {
  const { status, outcome, content, stream, ttfb, rule, fault } = wanted
  const words: string[] = []
  if (status !== undefined) words.push(`status ${[status].flat().join(' or ')}`)
  if (outcome !== undefined) words.push(outcome)
  if (content !== undefined) words.push(`content ${content}`)
  if (stream?.chunks !== undefined) words.push(`${countInWords(stream.chunks)} chunks`)
  if (stream?.ended !== undefined) words.push(`stream ${stream.ended}`)
  if (ttfb !== undefined) words.push(`first byte after ${rangeInWords(ttfb)}`)
  if (isAboutSent(wanted)) words.push(`sent as expected: ${sentInWords(wanted)}`)
  if (rule !== undefined) words.push(`by rule ${rule}`)
  if (fault !== undefined) words.push(`fault ${fault}`)
  return words.join(', ')
}

/** How an exchange went, in the same words. */
export function mannerOf({ status, outcome, content, stream, firstByteAt, at, fault }: JournalEntry): string {
  const words = [`status ${status}`, outcome]
  if (content !== null) words.push(`content ${content}`)
  if (stream) words.push(`${stream.chunks} chunks, stream ${stream.ended}`)
  if (firstByteAt !== null) words.push(`first byte after ${firstByteAt - at}ms`)
  if (fault !== null) words.push(`fault ${fault}`)
  return words.join(', ')
}

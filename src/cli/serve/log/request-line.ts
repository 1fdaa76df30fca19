import { breakAtWords, pluralize } from '../../../engine/wording.ts'
import type { JournalEntry } from '../../../gateway/journal.ts'
import { maskKey } from '../../../gateway/accounts/keys.ts'
import { isDownload, toOneLine } from '../../../judge/index.ts'
import { colourText } from '../../terminal/style.ts'

/** A settled journal entry, possibly parsed from JSON. */
export type LoggedEntry = Omit<JournalEntry, 'reasons'>

/** The request headers in a verbose log. */
export type LoggedHeaders = Readonly<Record<string, string>>

/** The environment of a line. */
interface LineOptions {
  readonly hasColours: boolean
  /** The width of the terminal; undefined if lines may have any length. */
  readonly columns: number | undefined
}

/** Colours by meaning, as in the dashboard. `purpose` marks the effects of rules and faults. */
const styles = {
  plain: 0,
  muted: 2,
  done: 32,
  working: 36,
  client: 33,
  failed: 31,
  purpose: 35,
} as const
type Style = keyof typeof styles

interface Part {
  readonly text: string
  readonly style: Style
}

/** The columns of a line. In a narrow terminal, times have no milliseconds and paths are shortened. */
function layOut(columns: number | undefined): { timeColumns: number; targetColumns: number } {
  if (columns === undefined) return { timeColumns: 12, targetColumns: 66 }
  const timeColumns = columns < 80 ? 8 : 12
  const detailColumns = Math.max(14, columns * 0.3 - 4)
  const maxTarget = columns < 140 ? 42 : 72
  const rest = Math.floor(columns - timeColumns - 14 - detailColumns)
  return { timeColumns, targetColumns: Math.min(Math.max(rest, 20), maxTarget) }
}

/**
 * Formats an exchange as a line: virtual time, method and path, status, duration, then details. Details that don't fit the
 * width continue below, indented.
 */
export function formatRequest(entry: LoggedEntry, options: LineOptions, headers?: LoggedHeaders): string {
  const { columns } = options
  const { timeColumns, targetColumns } = layOut(columns)
  const time = new Date(entry.at).toISOString().slice(11, 11 + timeColumns)
  const method = `${entry.method.padEnd(4)} `
  const path = toOneLine(maskSecrets(entry.path))
  const target = method + (columns === undefined ? path : shortenPath(path, targetColumns - method.length))
  const status = entry.status === 0 ? '---' : String(entry.status)
  const took = formatTime((entry.settledAt ?? entry.at) - entry.at).padStart(6)
  const head = [
    { text: time, style: 'muted' },
    { text: target.padEnd(targetColumns), style: 'plain' },
    { text: status, style: statusStyle(entry) },
    { text: took, style: 'muted' },
  ] as const
  const indent = timeColumns + 1
  const column = head.reduce((sum, { text }) => sum + text.length + 1, -1)
  const line =
    head.map(({ text, style }) => colourText(text, styles[style], options)).join(' ') +
    wrap(describe(entry, options), { column, indent, options })
  if (!headers) return line
  const more = describeMore(entry, headers).map((text): Part => ({ text, style: 'muted' }))
  return `${line}\n${' '.repeat(indent)}${wrap(more, { column: indent, indent, options })}`
}

/** Writes a warning, with line breaks at words. */
export function formatWarning(message: string, options: LineOptions): string {
  const prefix = 'warning: '
  const parts = [{ text: toOneLine(message), style: 'plain' }] as const
  return (
    colourText(prefix, styles.client, options) +
    wrap(parts, { column: prefix.length, indent: prefix.length, options })
  )
}

/** The parts of a line after the duration. */
function describe(entry: LoggedEntry, { columns }: LineOptions): Part[] {
  const { namespace, rules, fault, reportedStatus, task, path, stream, content, outcome, hint } = entry
  const parts: Part[] = []
  const add = (text: string, style: Style): void =>
    void parts.push({ text: toOneLine(maskSecrets(text)), style })
  const shorten = columns === undefined ? (id: string): string => id : shortenId
  if (namespace !== 'default') add(`[${namespace}]`, 'muted')
  if (entry.role === 'report') add('callback', 'muted')
  if (reportedStatus !== null) add(reportedStatus, stateStyle(reportedStatus))
  if (task !== null && !path.includes(task)) add(shorten(task), 'muted')
  if (entry.model !== null && task === null && !path.includes(entry.model)) add(entry.model, 'muted')
  if (stream !== null) {
    add(`streamed ${pluralize(stream.chunks, 'chunk')}`, 'plain')
    if (stream.ended !== 'finished')
      add(streamEnds[stream.ended], stream.ended === 'aborted' ? 'client' : 'purpose')
  } else if (isDownload(entry) && entry.status < 300) {
    add(formatBytes(entry.bytes), 'plain')
    if (content === 'altered') add('altered', 'purpose')
  }
  if (outcome === 'aborted' && stream?.ended !== 'aborted') add('the client disconnected', causeStyle(entry))
  if (outcome === 'failed' && fault === null && stream === null) add('the response failed', 'failed')
  if (rules.length > 0 || fault !== null) {
    const names = rules.join(', ')
    add(`◆ ${fault === null ? names : names === '' ? fault : `${names}: ${fault}`}`, 'purpose')
  }
  if (hint == null) return parts
  if (entry.status < 400) add(`hint: ${hint}`, 'muted')
  else add(hint, causeStyle(entry) === 'purpose' ? 'muted' : statusStyle(entry))
  return parts
}

const streamEnds = {
  error: 'then reported an error',
  cut: 'then broke off',
  aborted: 'then the client disconnected',
} as const

/** The additional parts of a verbose log. */
function describeMore(entry: LoggedEntry, headers: LoggedHeaders): string[] {
  const { firstByteAt, at, delayMs, prompt } = entry
  const fields = {
    number: `#${entry.number}`,
    operation: entry.operation ?? 'no operation',
    task: entry.task ?? '',
    key: entry.key === '' ? 'no key' : `key ${entry.key}`,
    request: entry.requestId,
    transport: entry.transport,
    bytes: formatBytes(entry.bytes),
    firstByte: firstByteAt === null ? '' : `first byte after ${formatTime(firstByteAt - at)}`,
    delay: delayMs === 0 ? '' : `delayed by ${formatTime(delayMs)}`,
    assumed: entry.assumed ? 'wait assumed' : '',
    prompt: prompt === null ? '' : `"${prompt}"`,
  }
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [...Object.values(fields), ...named]
    .filter((text) => text !== '')
    .map((text) => toOneLine(maskSecrets(text)))
}

/** The fields of an exchange in a JSON log. */
export function toLogFields(entry: LoggedEntry, headers?: LoggedHeaders): Readonly<Record<string, unknown>> {
  const { number, namespace, operation, method, status, task, reportedStatus, rules, fault, hint } = entry
  const fields = {
    number,
    namespace,
    at: new Date(entry.at).toISOString(),
    operation,
    method,
    path: maskSecrets(entry.path),
    status,
    durationMs: (entry.settledAt ?? entry.at) - entry.at,
    outcome: entry.outcome,
    bytes: entry.bytes,
    task,
    state: reportedStatus,
    model: entry.model,
    stream: entry.stream,
    rules,
    fault,
    hint: hint == null ? null : maskSecrets(hint),
  }
  if (!headers) return fields
  const { requestId, key, transport, delayMs, firstByteAt, retryAfterMs, assumed, timing, prompt } = entry
  return {
    ...fields,
    requestId,
    key,
    transport,
    delayMs,
    firstByteMs: firstByteAt === null ? null : firstByteAt - entry.at,
    retryAfterMs,
    assumed,
    timing,
    prompt: prompt === null ? null : maskSecrets(prompt),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskSecrets(value)])),
  }
}

/** Keys of this gateway and of well-known services, tokens, and parameters that contain keys. */
const secrets =
  /\b(?:sk-[\w-]{8,}|AIza[\w-]{20,}|gh[a-z]_\w{20,}|eyJ[\w-]{8,}\.[\w.-]+)|(?<=\bbearer )\S{8,}|(?<=\b(?:key|token|secret|password)=)[^&\s"]+/gi

/** Masks texts that look like secrets. */
export function maskSecrets(text: string): string {
  return text.replace(secrets, maskKey)
}

function statusStyle(entry: LoggedEntry): Style {
  const { status } = entry
  if (status >= 200 && status < 400) return 'done'
  return status >= 400 && status < 500 ? causeStyle(entry) : entry.rules.length > 0 ? 'purpose' : 'failed'
}

/** The style of a cause: effects of rules are intended, other failures are the client's mistakes. */
function causeStyle({ rules, fault }: LoggedEntry): Style {
  return rules.length > 0 || fault !== null ? 'purpose' : 'client'
}

function stateStyle(state: string): Style {
  if (/^(?:success|completed|succeeded)$/i.test(state)) return 'done'
  if (/fail|error|cancel/i.test(state)) return 'failed'
  return /queue|not_start|submitted|pending/i.test(state) ? 'muted' : 'working'
}

/** Writes parts from a column on. A part that doesn't fit begins a new line, and is broken at words if necessary. */
function wrap(
  parts: readonly Part[],
  { column, indent, options }: { column: number; indent: number; options: LineOptions },
): string {
  const { columns = Infinity } = options
  const lineBreak = `\n${' '.repeat(indent)}`
  let text = ''
  for (const { text: words, style } of parts) {
    if (column > indent && column + gap.length + words.length > columns) {
      text += lineBreak
      column = indent
    } else if (column > indent) {
      text += gap
      column += gap.length
    }
    const lines = breakAtWords(words, columns - indent)
    text += lines.map((line) => colourText(line, styles[style], options)).join(lineBreak)
    column += lines.at(-1)!.length
  }
  return text
}

const gap = '  '

/** Shortens ids first, then the beginning, because the end is more informative. */
function shortenPath(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path
  const short = path.split('/').map(shortenId).join('/')
  return short.length <= maxLength ? short : `…${short.slice(1 - maxLength)}`
}

function shortenId(id: string): string {
  return id.length > 20 ? `${id.slice(0, 13)}…` : id
}

/** A duration in six characters: `12ms`, `1.2s`, `3m05s`, `2h05m`. */
export function formatTime(durationMs: number): string {
  if (durationMs < 999.5) return `${Math.round(durationMs)}ms`
  if (durationMs < 99_950) return `${(durationMs / 1_000).toFixed(1)}s`
  const seconds = Math.round(durationMs / 1_000)
  const twoDigits = (count: number): string => String(count).padStart(2, '0')
  if (seconds < 6_000) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`
}

function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  return count < 999_500 ? `${Math.round(count / 1_000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}

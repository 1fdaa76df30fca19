// One exchange: its facts, the decision of each rule, both messages, and a curl command.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatBytes, formatDuration, formatInstant } from '../data/format.ts'
import { connection, markedEntries, now, origin, source } from '../data/store.ts'
import type { Details, Entry, Message, RuleReason } from '../data/types.ts'
import { Icon } from '../frame/icons.tsx'
import { CopyButton } from '../frame/notice.tsx'
import { Status } from '../journal/status.tsx'

const loaded = signal<{ number: number; details: Details } | null>(null)

async function load(number: number): Promise<void> {
  const details = await source.loadDetails(number).catch((): Details => ({ reasons: [] }))
  loaded.value = { number, details }
}

export function InspectExchange({ entry }: { entry: Entry }) {
  const { number, operation, method, path, outcome } = entry
  useEffect(() => void load(number), [number, outcome])
  const details = loaded.value?.number === number ? loaded.value.details : undefined
  const curl = curlOf(entry, details?.request)
  const finding = markedEntries.value.get(number)
  return (
    <>
      <header class="panel-head">
        <div class="title-row">
          <h2>
            <span class="muted mono">#{number}</span> {operation ?? 'unknown path'}
          </h2>
          <Status entry={entry} isBig />
        </div>
        <p class="sub mono">
          {method} {path}
        </p>
      </header>
      {finding !== undefined && (
        <p class="finding">
          <Icon name="warn" size={14} /> {finding}
        </p>
      )}
      <Facts entry={entry} />
      <Duration entry={entry} />
      <section class="block">
        <h3>Decision of the rules</h3>
        {details ? <Reasons reasons={details.reasons} /> : <p class="muted">…</p>}
      </section>
      {details?.request && <MessageBlock title="Request" message={details.request} />}
      {details?.reply && <MessageBlock title="Response" message={details.reply} />}
      <section class="block">
        <div class="h-row">
          <h3>Send it again</h3>
          <CopyButton text={curl} />
        </div>
        <pre class="code" tabIndex={0}>
          {curl}
        </pre>
      </section>
    </>
  )
}

function Facts({ entry }: { entry: Entry }) {
  const { at, settledAt, delayMs, bytes, content, stream, key, reportedStatus, retryAfterMs } = entry
  const took = formatDuration((settledAt ?? now()) - at)
  const sent = [
    formatBytes(bytes),
    content !== 'complete' && content,
    stream && `${stream.chunks} chunks, ${stream.ended}`,
  ]
  const facts: readonly (readonly [string, string | null])[] = [
    ['Received at', formatInstant(at - origin.at, 3)],
    ['Took', delayMs > 0 ? `${took}, ${formatDuration(delayMs)} on purpose` : took],
    ['Sent', sent.filter(Boolean).join(' · ')],
    ['Key', key || 'none'],
    ['Task state', reportedStatus],
    ['Retry after', retryAfterMs === null ? null : formatDuration(retryAfterMs)],
  ]
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </>
          ),
      )}
      {entry.fault && (
        <>
          <dt>Fault</dt>
          <dd class="mono purpose-text">
            {entry.fault}
            {entry.approximated ? ', approximated' : ''}
          </dd>
        </>
      )}
    </dl>
  )
}

/** A bar for the wait until the first byte, and for the transfer. */
function Duration({ entry: { at, firstByteAt, settledAt } }: { entry: Entry }) {
  const end = settledAt ?? now()
  const first = firstByteAt ?? end
  const span = Math.max(end - at, 1)
  const label = `Waited ${formatDuration(first - at)}, then sent for ${formatDuration(end - first)}`
  return (
    <div class="took" role="img" aria-label={label}>
      <i class="took-wait" style={{ width: `${((first - at) / span) * 100}%` }} />
      <i class="took-send" style={{ width: `${Math.max(((end - first) / span) * 100, 1)}%` }} />
    </div>
  )
}

const maxNear = 8

/** First the rules that fired, then near misses. The others share one line. */
function Reasons({ reasons }: { reasons: readonly RuleReason[] }) {
  if (reasons.length === 0) return <p class="muted">No rule applied: this is the gateway without faults.</p>
  const fired = reasons.filter((reason) => reason.fired)
  const near = reasons
    .filter(({ fired: hasFired, why }) => !hasFired && !/another operation|already|spent/.test(why))
    .slice(0, maxNear)
  const far = reasons.filter((reason) => !fired.includes(reason) && !near.includes(reason))
  return (
    <ul class="reasons">
      {[...fired, ...near].map(({ rule, why, fired: hasFired }) => (
        <li class={hasFired ? 'fired' : ''} key={rule}>
          <Icon name={hasFired ? 'bolt' : 'minus'} size={14} />
          <span>
            <b>{rule}</b> {why}
          </span>
        </li>
      ))}
      {far.length > 0 && (
        <li class="more-row">
          <span />
          <details class="more">
            <summary>{far.length} more are for other operations or spent</summary>
            {far.slice(0, 50).map(({ rule, why }) => (
              <p key={rule}>
                <b>{rule}</b> {why}
              </p>
            ))}
          </details>
        </li>
      )}
    </ul>
  )
}

/** Headers that are the same in nearly every message. */
const commonHeaders = /^(?:x-new-api|x-greenroom|keep-alive|connection|accept|user-agent|sec-|host$|date$)/i
const maxBodyLength = 6_000

function MessageBlock({ title, message }: { title: string; message: Message }) {
  const { line, headers, body, truncated } = message
  const common = headers.filter(([name]) => commonHeaders.test(name))
  return (
    <section class="block">
      <h3>{title}</h3>
      <div class="code">
        <div class="code-line">{line}</div>
        <Headers headers={headers.filter((header) => !common.includes(header))} />
        {common.length > 0 && (
          <details>
            <summary>{common.length} more headers</summary>
            <Headers headers={common} />
          </details>
        )}
        {body && (
          <pre tabIndex={0}>
            {formatJson(body).slice(0, maxBodyLength)}
            {truncated ? '\n… the rest of the body is not stored' : ''}
          </pre>
        )}
      </div>
    </section>
  )
}

function Headers({ headers }: { headers: Message['headers'] }) {
  return headers.map(([name, value]) => (
    <div class="code-head" key={name}>
      <span>{name}</span> {value}
    </div>
  ))
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The same request as a curl command, with a key that every local server accepts. */
function curlOf({ method, path }: Entry, request?: Message): string {
  const target = request?.line.split(' ')[1] ?? path
  // A report may be opened on another machine than the server.
  const url =
    connection.value === 'report' ? `"$GREENROOM_URL"${quote(target)}` : quote(location.origin + target)
  const lines = [`curl -s ${method === 'GET' ? '' : `-X ${quote(method)} `}${url}`]
  lines.push(`-H 'Authorization: Bearer sk-greenroom'`)
  const type = request?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (request?.body) {
    if (type) lines.push(`-H ${quote(`Content-Type: ${type}`)}`)
    lines.push(`--data-raw ${quote(request.body)}`)
  }
  return lines.join(' \\\n  ')
}

/** Quotes a word for a shell, because clients may send anything. */
function quote(word: string): string {
  return /^[A-Z]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

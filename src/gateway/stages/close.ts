import { participantName } from '../../engine/clock/holds/participants.ts'
import type { Waiting } from '../../engine/clock/waiters.ts'
import { noBody, refuse, type Exchange } from '../exchange.ts'
import { headerOf, isSafeMethod } from '../request.ts'
import type { SentRequest } from '../journal.ts'
import { joinSentences, storageUnavailable } from '../replies/errors.ts'
import { headersOf, retryAfterOf } from '../replies/headers.ts'
import { hasContent, hintName } from '../replies/reply.ts'
import { noDecision } from '../../scenario/rules/rule.ts'
import { readReportedEnd } from './reported-end.ts'
import { retryKey } from './turn.ts'

/** Persists the changes of the request before the response leaves. If that fails, the request is refused. */
export function keep(x: Exchange): void {
  const { changes, keeping } = x.core
  changes.note('clock', x.namespace.name)
  if (x.task) changes.note('look', x.namespace.name, x.task.id)
  const problem = keeping.keep()
  if (problem !== undefined && !isSafeMethod(x.request)) x.reply = refuse(x, storageUnavailable(problem))
}

/** Ends the turn: adds the exchange to the journal. From here on, its transport owns it. */
export function record(x: Exchange): void {
  if (!hasContent(x.reply.status)) x.reply = { ...x.reply, body: null }
  const { entry, reply, namespace, view, now, core } = x
  entry.status = reply.status
  entry.delayMs = reply.delayMs
  entry.retryAfterMs = retryAfterOf(reply.headers, now)
  const hint = reply.headers[hintName]
  if (hint !== undefined) entry.hint = entry.hint === null ? hint : joinSentences(entry.hint, hint)
  if (view) entry.final = view.final
  const bodyReports = x.decision === noDecision ? undefined : readReportedEnd(x)
  if (bodyReports !== undefined) entry.bodyReports = bodyReports
  namespace.journal.append(entry, () => sentRequest(x))
  x.messages = core.messages?.open(entry, x.request, x.credential, x.bodyText)
  core.activity.begin()
  if (entry.retryAfterMs !== null && x.clock.auto.assumes('retry-after')) {
    namespace.retries.set(retryKey(x), now + entry.retryAfterMs)
  }
  x.waiting = waitingOf(x)
  x.headers = headersOf(reply, x.request, entry, x.route?.prefixes === undefined)
}

/** The client's request, for expectations about it. */
function sentRequest({ request, body, query }: Exchange): SentRequest {
  const isRead = body !== noBody || request.body === undefined
  return { body: isRead ? body : undefined, header: (name) => headerOf(request, name), query }
}

/** The header that names the participant of the clock that sends a request. */
const participantHeader = 'x-greenroom-as'

/** Describes the wait for this response to the clock. */
function waitingOf(x: Exchange): Waiting {
  const { number, place } = x.entry
  const known = { kind: 'answer', number, ...(place !== undefined && { place }) } as const
  const { participants } = x.clock.auto
  const name = x.header(participantHeader)
  if (!participantName.test(name)) return known
  participants.seen(name)
  return { ...known, name }
}

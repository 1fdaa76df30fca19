import type { JournalEntry } from '../../gateway/journal.ts'
import type { WebhookExpectation } from '../../scenario/vocabulary/types.ts'
import { fitsCount, formatCount, formatTimes, maxListed } from '../ranges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import type { ExpectPath, Finding, PlacedCheck } from './check.ts'
import { createExchangeMatcher } from './selection.ts'

/** Counts the webhooks that were sent, and those that were received as expected. */
export class WebhookCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: WebhookExpectation
  readonly #fitsStatus: (entry: JournalEntry) => boolean
  #sent = 0
  #fitting = 0
  #last: JournalEntry | undefined
  readonly #numbers: number[] = []

  constructor(path: ExpectPath, wanted: WebhookExpectation) {
    this.path = path
    this.#wanted = wanted
    const { status } = wanted
    this.#fitsStatus = createExchangeMatcher({ op: '*', ...(status !== undefined && { status }) })
  }

  notified(entry: JournalEntry, task: WatchedTask | undefined): void {
    const { taskNth, state } = this.#wanted
    if (taskNth !== undefined && task?.nth !== taskNth) return
    this.#sent++
    this.#last = entry
    const fitsState = state === undefined || [state].flat().includes(entry.reportedStatus ?? '')
    if (fitsState && this.#fitsStatus(entry)) this.#fitting++
    else if (this.#numbers.length < maxListed) this.#numbers.push(entry.number)
  }

  judge(): Finding {
    const { taskNth, state, status, count = { min: 1 } } = this.#wanted
    const of = taskNth === undefined ? '' : ` of drawing task ${taskNth}`
    const about = state === undefined ? '' : ` for ${[state].flat().join(' or ')}`
    const answered = status === undefined ? '' : ` answered with ${[status].flat().join(' or ')}`
    const expected = `${formatCount(count)} × webhook${of}${about}${answered}`
    if (fitsCount(count, this.#fitting)) return { verdict: 'pass', expected, actual: expected, requests: [] }
    const last = this.#last
    const answer = last && (last.status === 0 ? 'not delivered' : `answered with ${last.status}`)
    const end = last
      ? `; the last of ${this.#sent} was for ${last.reportedStatus}, ${answer}`
      : '; none was sent'
    return { verdict: 'fail', expected, actual: formatTimes(this.#fitting) + end, requests: this.#numbers }
  }
}

import { isLadder, pathBetween, progressRange, type Lifecycle } from './lifecycle.ts'
import type { Amendment, Step, TaskRecord } from './plan.ts'

/** A stretch of a task's life. */
export interface Span {
  readonly state: string
  readonly from: number
  /** The instant at which it ends, or null. The end belongs to the next span. */
  readonly until: number | null
  /** What progress is measured by, when the span is cut short or endless. */
  readonly wholeMs?: number
}

/** A task's whole life, past and future, as far as is known now. */
export interface Timeline {
  readonly spans: readonly Span[]
  readonly reason: string
}

/** A task at one instant. */
export interface TaskView {
  readonly state: string
  readonly final: boolean
  /** Percent done, a whole number. Never falls. */
  readonly progress: number
  /** When the present state began. */
  readonly since: number
  /** When the work began; 0 before. */
  readonly startedAt: number
  /** When it ended; 0 before. */
  readonly finishedAt: number
  /** Why it failed; empty unless it did. */
  readonly reason: string
}

/**
 * Folds plan and amendments into a timeline. Amendments may come at any instant; what lies before them stays
 * true.
 */
export function timelineOf(
  record: Pick<TaskRecord, 'plan' | 'submittedAt'>,
  amendments: readonly Amendment[],
  lifecycle: Lifecycle,
): Timeline {
  let spans = layOut(record.plan.steps, record.submittedAt, lifecycle, amendments)
  let reason = record.plan.reason ?? ''
  for (const amendment of amendments) {
    if (amendment.kind !== 'transition') continue
    spans = cut(spans, amendment, record.plan.steps, amendments, lifecycle)
    if (lifecycle.states[amendment.state]?.final) reason = amendment.reason ?? ''
  }
  return { spans, reason }
}

/** What the timeline says at an instant. Looking changes nothing. */
export function viewAt(timeline: Timeline, lifecycle: Lifecycle, now: number): TaskView {
  const { roles, states } = lifecycle
  const { spans } = timeline
  let startedAt = 0
  let index = 0
  for (;;) {
    const { state, from, until } = spans[index]!
    if (state === roles.work) startedAt = from
    if (until === null || until > now || index === spans.length - 1) break
    index++
  }
  const span = spans[index]!
  const final = states[span.state]?.final === true
  return {
    state: span.state,
    final,
    progress: progressAt(span, lifecycle, now),
    since: span.from,
    startedAt,
    finishedAt: final ? span.from : 0,
    reason: span.state === roles.failure ? timeline.reason : '',
  }
}

/** When the timeline reaches a state; null when it never does. */
export function reaches(timeline: Timeline, state: string): number | null {
  return timeline.spans.find((span) => span.state === state)?.from ?? null
}

function layOut(
  steps: readonly Step[],
  start: number,
  lifecycle: Lifecycle,
  amendments: readonly Amendment[],
): Span[] {
  const spans: Span[] = []
  let from = start
  for (const step of steps) {
    const end = endOf(step, from, amendments)
    const whole = step.wholeMs === undefined ? {} : { wholeMs: step.wholeMs }
    spans.push({ state: step.state, from, until: end.at, ...whole })
    if (end.at === null) break
    from = end.at
    if (end.expired && step.expires !== undefined) {
      spans.push(...leap(step.state, step.expires, from, lifecycle))
      break
    }
  }
  return spans
}

function endOf(
  step: Step,
  from: number,
  amendments: readonly Amendment[],
): { at: number | null; expired: boolean } {
  const due = step.lastsMs === null ? null : from + step.lastsMs
  if (step.awaits === undefined) return { at: due, expired: false }
  const confirmed = amendments.find(
    ({ kind, at, ...rest }) =>
      kind === 'confirm' &&
      'operation' in rest &&
      rest.operation === step.awaits &&
      at >= from &&
      (due === null || at < due),
  )
  return confirmed ? { at: confirmed.at, expired: false } : { at: due, expired: true }
}

/** Ends the life as it was at an instant and goes on from the given state. */
function cut(
  spans: readonly Span[],
  { at, state }: { at: number; state: string },
  steps: readonly Step[],
  amendments: readonly Amendment[],
  lifecycle: Lifecycle,
): Span[] {
  const kept = spans.filter(({ from }, index) => index === 0 || from <= at)
  const present = kept.at(-1)!
  const past: Span[] = [...kept.slice(0, -1), { ...present, until: at, wholeMs: wholeOf(present) }]
  if (lifecycle.states[state]?.final) return [...past, ...leap(present.state, state, at, lifecycle)]
  const rest = steps.findIndex((step) => step.state === state)
  if (rest < 0) return [...past, ...leap(present.state, state, at, lifecycle)]
  return [
    ...past,
    ...leap(present.state, state, at, lifecycle).slice(0, -1),
    ...layOut(steps.slice(rest), at, lifecycle, amendments),
  ]
}

/** The way to a state in no time. States on the way last zero milliseconds, so the documented order holds. */
function leap(from: string, to: string, at: number, lifecycle: Lifecycle): Span[] {
  const between = pathBetween(lifecycle, from, to) ?? []
  return [...between.map((state) => ({ state, from: at, until: at })), { state: to, from: at, until: null }]
}

function wholeOf({ from, until, wholeMs }: Span): number {
  return wholeMs ?? (until === null ? 0 : until - from)
}

function progressAt(span: Span, lifecycle: Lifecycle, now: number): number {
  const [from, to] = progressRange(lifecycle, span.state)
  if (from === to) return from
  const wholeMs = wholeOf(span)
  const share = wholeMs === 0 ? 1 : Math.min(1, Math.max(0, now - span.from) / wholeMs)
  const { progress } = lifecycle.states[span.state]!
  if (isLadder(progress)) return progress[Math.min(progress.length - 1, Math.floor(share * progress.length))]!
  return Math.floor(from + (to - from) * share)
}

/**
 * When a task next looks different: another state, or another percentage.
 * @returns the instant, or null when it never will by itself.
 */
export function nextChange(timeline: Timeline, lifecycle: Lifecycle, now: number): number | null {
  const span = timeline.spans.find(({ until }) => until === null || until > now)
  if (!span) return null
  const progress = progressAt(span, lifecycle, now)
  // Progress only climbs, so the first instant at which it is higher can be found by halving.
  let end = span.until ?? span.from + wholeOf(span) + 1
  if (span.until === null && progressAt(span, lifecycle, end) === progress) return null
  let start = now
  while (end - start > 1) {
    const middle = Math.floor((start + end) / 2)
    if (progressAt(span, lifecycle, middle) > progress) end = middle
    else start = middle
  }
  return end
}

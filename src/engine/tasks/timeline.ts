import { isLadder, pathBetween, progressRange, type Lifecycle } from './lifecycle.ts'
import type { Amendment, Plan, Step, TaskRecord } from './plan.ts'

/** A stretch of a task's life. */
export interface Span {
  readonly state: string
  readonly from: number
  /** The instant at which it ends, or null. The end belongs to the next span. */
  readonly until: number | null
  /** What progress is measured by, when the span is cut short or endless. */
  readonly wholeMs?: number
  /** Percent done, where it isn't as the lifecycle says. */
  readonly progress?: number
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
  let life = buildSpans(record.plan, record.submittedAt, lifecycle, amendments)
  for (const amendment of amendments) {
    if (amendment.kind === 'transition') life = cut(life, amendment, record.plan, amendments, lifecycle)
  }
  return life
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

/** When a timeline ends; Infinity if it doesn't by itself. */
export function endOfTimeline({ spans }: Timeline, { states }: Lifecycle): number {
  const last = spans.at(-1)!
  return states[last.state]?.final ? last.from : Infinity
}

/** Whether one of its states waits for a request of the client. */
export function waitsForClient({ spans }: Timeline, { states }: Lifecycle): boolean {
  return spans.some(({ state }) => states[state]?.on !== undefined)
}

function buildSpans(
  { steps, reason = '' }: Plan,
  start: number,
  lifecycle: Lifecycle,
  amendments: readonly Amendment[],
): Timeline {
  const spans: Span[] = []
  let from = start
  for (const step of steps) {
    // Nothing happens to nearly all tasks, and each step lasts as long as was planned.
    if (amendments.length === 0 && step.expires === undefined) {
      const until: number | null = step.lastsMs === null ? null : from + step.lastsMs
      spans.push(spanOf(step, from, until))
      if (until === null) break
      from = until
      continue
    }
    const end = endOf(step, from, amendments, isWaiting(step, lifecycle))
    spans.push(spanOf(step, from, end.at))
    if (end.at === null) break
    from = end.at
    if (end.plan) {
      const rest = buildSpans(end.plan, from, lifecycle, amendments)
      return { spans: [...spans, ...rest.spans], reason: rest.reason }
    }
    if (end.expired && step.expires !== undefined) {
      const way = leap(step.state, step.expires, from, lifecycle)
      return { spans: [...spans, ...way], reason: step.expiryReason ?? reason }
    }
  }
  return { spans, reason }
}

function spanOf({ state, wholeMs, progress }: Step, from: number, until: number | null): Span {
  const span: { -readonly [Field in keyof Span]: Span[Field] } = { state, from, until }
  if (wholeMs !== undefined) span.wholeMs = wholeMs
  if (progress !== undefined) span.progress = progress
  return span
}

/** Whether a step comes before the work and ends by itself: there a task stands in line. */
function isWaiting({ state, awaits }: Step, { roles, states }: Lifecycle): boolean {
  return awaits === undefined && state !== roles.work && states[state]?.final !== true
}

interface End {
  readonly at: number | null
  readonly expired: boolean
  /** What happens from there on, where it isn't as was planned. */
  readonly plan?: Plan | undefined
}

function endOf(step: Step, from: number, amendments: readonly Amendment[], standsInLine: boolean): End {
  const due = step.lastsMs === null ? null : from + step.lastsMs
  if (step.awaits === undefined) {
    const begin = standsInLine ? amendments.findLast(({ kind }) => kind === 'begin') : undefined
    if (begin?.kind !== 'begin') return { at: due, expired: true }
    // The first state that waits takes all the time in line; for others on the way to the work none is left.
    return { at: begin.begins === null ? null : Math.max(from, begin.begins), expired: false }
  }
  const confirmed = amendments.find(
    (amendment) =>
      amendment.kind === 'confirm' &&
      amendment.operation === step.awaits &&
      amendment.at >= from &&
      (due === null || amendment.at < due),
  )
  if (confirmed?.kind !== 'confirm') return { at: due, expired: true }
  return { at: confirmed.at, expired: false, plan: confirmed.plan }
}

/** Ends the life as it was at an instant and goes on from the given state. */
function cut(
  { spans, reason }: Timeline,
  { at, state, reason: given = '' }: Extract<Amendment, { kind: 'transition' }>,
  plan: Plan,
  amendments: readonly Amendment[],
  lifecycle: Lifecycle,
): Timeline {
  const kept = spans.filter(({ from }, index) => index === 0 || from <= at)
  const present = kept.at(-1)!
  const past: Span[] = [...kept.slice(0, -1), { ...present, until: at, wholeMs: wholeOf(present) }]
  const way = leap(present.state, state, at, lifecycle)
  if (lifecycle.states[state]?.final) return { spans: [...past, ...way], reason: given }
  const rest = plan.steps.findIndex((step) => step.state === state)
  if (rest < 0) return { spans: [...past, ...way], reason }
  // Who was moved on stands in line no more.
  const moved = amendments.filter(({ kind }) => kind !== 'begin')
  const life = buildSpans({ ...plan, steps: plan.steps.slice(rest) }, at, lifecycle, moved)
  return { spans: [...past, ...way.slice(0, -1), ...life.spans], reason: life.reason }
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
  if (span.progress !== undefined) return span.progress
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

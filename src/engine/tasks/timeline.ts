import { isStepped, pathBetween, progressRange, type Lifecycle } from './lifecycle.ts'
import type { Amendment, Plan, Step, TaskRecord } from './plan.ts'

/** One state of a timeline. */
interface Span {
  readonly state: string
  readonly from: number
  /** The instant at which it ends, or null. At that instant, the next span applies. */
  readonly until: number | null
  /** The length by which progress is measured, if the span is cut short or endless. */
  readonly wholeMs?: number
  /** Percent done, if it differs from the lifecycle's. */
  readonly progress?: number
}

/** The past and future of a task, as far as they are known now. */
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
  /** When the work began; 0 before that. */
  readonly startedAt: number
  /** When the task ended; 0 before that. */
  readonly finishedAt: number
  /** Why it failed; empty if it did not fail. */
  readonly reason: string
}

/**
 * Folds plan and amendments into a timeline. An amendment changes nothing before its instant.
 */
export function timelineOf(
  record: Pick<TaskRecord, 'plan' | 'submittedAt'>,
  amendments: readonly Amendment[],
  lifecycle: Lifecycle,
): Timeline {
  let timeline = buildSpans(record.plan, record.submittedAt, lifecycle, amendments)
  if (amendments.length === 0) return timeline
  for (const amendment of amendments) {
    if (amendment.kind === 'transition')
      timeline = moveTo(timeline, amendment, record.plan, amendments, lifecycle)
  }
  const end = amendments.findLast(({ kind }) => kind === 'end')
  const hasEnded = amendments.some(
    (amendment) => amendment.kind === 'transition' && lifecycle.states[amendment.state]?.final === true,
  )
  return end?.kind === 'end' && !hasEnded ? endAt(timeline, end, lifecycle) : timeline
}

/** The state at an instant. */
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

/** When a timeline ends; Infinity if it doesn't end by itself. */
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
    const end = endOfStep(step, from, amendments, lifecycle)
    spans.push(spanOf(step, from, end.at))
    if (end.at === null) break
    from = end.at
    if (end.plan) {
      const rest = buildSpans(end.plan, from, lifecycle, amendments)
      return { spans: [...spans, ...rest.spans], reason: rest.reason }
    }
    if (end.expired && step.expires !== undefined) {
      const rest = skipTo(step.state, step.expires, from, lifecycle)
      return { spans: [...spans, ...rest], reason: step.expiryReason ?? reason }
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

interface StepEnd {
  readonly at: number | null
  readonly expired: boolean
  /** The remaining plan, if a confirmation replaced it. */
  readonly plan?: Plan | undefined
}

function endOfStep(
  { state, lastsMs, awaits }: Step,
  from: number,
  amendments: readonly Amendment[],
  { roles, states }: Lifecycle,
): StepEnd {
  const due = lastsMs === null ? null : from + lastsMs
  if (awaits === undefined) {
    const isQueued = state !== roles.work && states[state]?.final !== true
    const begin = isQueued ? amendments.findLast(({ kind }) => kind === 'begin') : undefined
    if (begin?.kind !== 'begin') return { at: due, expired: true }
    // The first queued state takes all the time; further ones take none.
    return { at: begin.begins === null ? null : Math.max(from, begin.begins), expired: false }
  }
  const confirmed = amendments.find(
    (amendment) =>
      amendment.kind === 'confirm' &&
      amendment.operation === awaits &&
      amendment.at >= from &&
      (due === null || amendment.at < due),
  )
  if (confirmed?.kind !== 'confirm') return { at: due, expired: true }
  return { at: confirmed.at, expired: false, plan: confirmed.plan }
}

/** Ends a timeline at an instant and continues it with the given state. */
function moveTo(
  { spans, reason }: Timeline,
  { at, state, reason: given = '' }: Extract<Amendment, { kind: 'transition' }>,
  plan: Plan,
  amendments: readonly Amendment[],
  lifecycle: Lifecycle,
): Timeline {
  const begun = spans.filter(({ from }, index) => index === 0 || from <= at)
  const present = begun.at(-1)!
  const past: Span[] = [...begun.slice(0, -1), { ...present, until: at, wholeMs: fullLengthOf(present) }]
  const way = skipTo(present.state, state, at, lifecycle)
  if (lifecycle.states[state]?.final) return { spans: [...past, ...way], reason: given }
  const rest = plan.steps.findIndex((step) => step.state === state)
  if (rest < 0) return { spans: [...past, ...way], reason }
  // A task that was moved to a state is no longer queued.
  const moved = amendments.filter(({ kind }) => kind !== 'begin')
  const later = buildSpans({ ...plan, steps: plan.steps.slice(rest) }, at, lifecycle, moved)
  return { spans: [...past, ...way.slice(0, -1), ...later.spans], reason: later.reason }
}

/** Replaces the end of a timeline. Progress is still measured by the planned length, so it never falls. */
function endAt(
  { spans, reason }: Timeline,
  { at, ends, state, reason: given = '' }: Extract<Amendment, { kind: 'end' }>,
  lifecycle: Lifecycle,
): Timeline {
  const until = ends === null ? Infinity : Math.max(ends, at)
  const open = spans.filter(
    (span, index) => index === 0 || (lifecycle.states[span.state]?.final !== true && span.from < until),
  )
  const last = open.at(-1)!
  const past = [
    ...open.slice(0, -1),
    { ...last, until: ends === null ? null : until, wholeMs: fullLengthOf(last) },
  ]
  if (ends === null) return { spans: past, reason }
  return { spans: [...past, ...skipTo(last.state, state, until, lifecycle)], reason: given }
}

/** The spans up to a state. The states before it last zero milliseconds, so the documented order holds. */
function skipTo(from: string, to: string, at: number, lifecycle: Lifecycle): Span[] {
  const between = pathBetween(lifecycle, from, to) ?? []
  return [...between.map((state) => ({ state, from: at, until: at })), { state: to, from: at, until: null }]
}

function fullLengthOf({ from, until, wholeMs }: Span): number {
  return wholeMs ?? (until === null ? 0 : until - from)
}

function progressAt(span: Span, lifecycle: Lifecycle, now: number): number {
  if (span.progress !== undefined) return span.progress
  const [from, to] = progressRange(lifecycle, span.state)
  if (from === to) return from
  const wholeMs = fullLengthOf(span)
  const share = wholeMs === 0 ? 1 : Math.min(1, Math.max(0, now - span.from) / wholeMs)
  const { progress } = lifecycle.states[span.state]!
  if (isStepped(progress))
    return progress[Math.min(progress.length - 1, Math.floor(share * progress.length))]!
  return Math.floor(from + (to - from) * share)
}

/**
 * When the state or the progress changes next.
 * @returns the instant, or null if neither changes by itself.
 */
export function nextChange(timeline: Timeline, lifecycle: Lifecycle, now: number): number | null {
  const span = timeline.spans.find(({ until }) => until === null || until > now)
  if (!span) return null
  const progress = progressAt(span, lifecycle, now)
  // Progress only climbs, so a binary search finds the first instant at which it is higher.
  let end = span.until ?? span.from + fullLengthOf(span) + 1
  if (span.until === null && progressAt(span, lifecycle, end) === progress) return null
  let start = now
  while (end - start > 1) {
    const middle = Math.floor((start + end) / 2)
    if (progressAt(span, lifecycle, middle) > progress) end = middle
    else start = middle
  }
  return end
}

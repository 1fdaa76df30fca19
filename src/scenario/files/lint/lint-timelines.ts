import { didYouMean } from '../../../engine/did-you-mean.ts'
import type { DurationSpec } from '../../../engine/random/distribution.ts'
import { formatDuration, parseDuration } from '../../../engine/clock/duration.ts'
import { pathBetween, type Lifecycle } from '../../../engine/tasks/lifecycle.ts'
import { drawingLifecycle } from '../../../apis/drawing/lifecycle.ts'
import { videoLifecycle } from '../../../apis/video/lifecycle.ts'
import type { Finding } from '../finding.ts'
import { taskKindOf } from '../../../engine/operations/operations.ts'
import { operationsOf, ruleName } from './lint-rules.ts'
import type { FileScenario } from '../types.ts'

/** Timelines that leave the documented order of states, or whose progress falls. */
export function lintTimelines({ rules = [], config = {} }: FileScenario): Finding[] {
  return rules.flatMap((rule, index): Finding[] => {
    const { timeline, unsafe = false } = rule.task ?? {}
    if (!timeline || unsafe) return []
    const surfaces = new Set(operationsOf(rule.match).map((op) => taskKindOf(op) ?? 'video'))
    return [...surfaces].flatMap((surface) => {
      // Whoever replaces the states knows what they do.
      if (config[surface]?.lifecycle) return []
      const lifecycle = surface === 'drawing' ? drawingLifecycle : videoLifecycle
      return orderOf(timeline, lifecycle).map(({ step, message }): Finding => ({
        severity: 'mistake',
        place: ['rules', index, 'task', 'timeline', step],
        message: `${ruleName(rule, index)}: ${message}`,
      }))
    })
  })
}

type Timeline = NonNullable<NonNullable<NonNullable<FileScenario['rules']>[number]['task']>['timeline']>

function orderOf(timeline: Timeline, lifecycle: Lifecycle): { step: number; message: string }[] {
  const known = Object.keys(lifecycle.states)
  const found: { step: number; message: string }[] = []
  let state: string | undefined
  let progress = 0
  let sinceMs = 0
  for (const [step, line] of timeline.entries()) {
    if ('waitFor' in line) {
      // What comes behind is counted from the answer.
      sinceMs = 0
      continue
    }
    const atMs = fixedMs(line.after) ?? sinceMs
    if (atMs < sinceMs) {
      const message = `after ${formatDuration(atMs)} lies before the line in front of it. Put lines in order of their times.`
      found.push({ step, message })
    }
    sinceMs = atMs
    const { status } = line
    const share = line.progress === undefined ? progress : Number.parseFloat(String(line.progress))
    if (share < progress) {
      const message = `progress falls from ${progress} % to ${share} %. Let it climb, or set unsafe: true.`
      found.push({ step, message })
    }
    progress = share
    if (status === undefined || status === state) continue
    if (!known.includes(status)) {
      const hint = didYouMean(status, known)
      found.push({
        step,
        message: `a ${lifecycle.name} task is never ${status}.${hint} Use ${known.join(', ')}.`,
      })
      continue
    }
    const from = state ?? lifecycle.initial
    // A task may begin in any state but the last ones; only some begin with a dialog.
    const isBeginning = state === undefined && !lifecycle.states[status]!.final
    if (!isBeginning && from !== status && pathBetween(lifecycle, from, status) === null) {
      const message =
        `${status} can't follow ${from} in the documented order. ` +
        'Change the order, or set unsafe: true if a client must survive it.'
      found.push({ step, message })
    }
    state = status
  }
  return found
}

/** A time that isn't drawn. */
function fixedMs(after: DurationSpec): number | undefined {
  return typeof after === 'object' || after === 'forever' ? undefined : parseDuration(after)
}

// A change of a task's future that is proposed, but not applied.
import { signal } from '@preact/signals'
import { isEnd, lastState, type Lane } from '../data/lanes.ts'
import { chosen, openPanel } from '../data/selection.ts'
import { connection, now } from '../data/store.ts'
import { colors } from './canvas.ts'
import type { LaneScene } from './draw-lane.ts'

/** Another end for a task. */
export interface Proposal {
  readonly lane: string
  readonly outcome: 'success' | 'failure' | 'never'
  /** The instant of the end, or now if that has passed. */
  readonly at: number
}
export const proposal = signal<Proposal | null>(null)

/** Whether the future of a lane can be edited: its task has not ended, and the server responds. */
export function isEditable(lane: Lane | undefined): lane is Lane {
  return lane?.task !== undefined && lane.end > now() && connection.value !== 'report'
}

/** Proposes to end a lane at an instant with its present outcome, and opens the form. */
export function proposeEnd(lane: Lane, at: number): void {
  const { phase } = lastState(lane)
  chosen.value = { lane: lane.id }
  openPanel.value = 'break'
  proposal.value = {
    lane: lane.id,
    outcome: isEnd(phase) && phase === 'failed' ? 'failure' : 'success',
    at: Math.round(Math.max(at, now())),
  }
}

/** Draws the proposed end over the lane. */
export function drawProposal({ ctx, bar, now: present, xOf, width }: LaneScene, lane: Lane, y: number): void {
  const proposed = proposal.peek()
  if (proposed?.lane !== lane.id) return
  const end = proposed.outcome === 'never' ? width + 8 : xOf(Math.max(proposed.at, present))
  const start = xOf(present)
  ctx.strokeStyle = colors.purpose
  ctx.lineWidth = 2
  ctx.setLineDash([4, 3])
  ctx.beginPath()
  ctx.roundRect(start, y - bar / 2 - 2, Math.max(end - start, 1), bar + 4, 3)
  ctx.stroke()
  ctx.setLineDash([])
  ctx.fillStyle = colors.purpose
  ctx.fillRect(end - 1.5, y - bar / 2 - 5, 3, bar + 10)
}

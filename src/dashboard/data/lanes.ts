// A lane of the axis: a task, or a text. Its states are computed from its timeline.
import { writesText } from '../../engine/operations/facts.ts'
import type { Phase } from '../../engine/tasks/lifecycle.ts'
import type { Entry, Task } from './types.ts'

/** One state of a lane. */
export interface LaneState {
  readonly phase: Phase
  readonly status: string
  readonly from: number
}

/** A row of the axis. */
export interface Lane {
  id: string
  medium: 'video' | 'image' | 'text'
  label: string
  operation: string
  start: number
  /** When it ends, as far as is known; Infinity if it never does. */
  end: number
  states: LaneState[]
  /** Its requests, oldest first. */
  entries: Entry[]
  /** Why it fails; empty if it doesn't. */
  reason: string
  /** How many of its requests were broken on purpose. */
  faults: number
  task?: Task
  /** The id of the task that it was made from, such as the grid of a drawing. */
  parent?: string
  /** How deep it is nested; set when lanes are put in order. */
  depth: number
}

/** Whether a lane in this phase has ended. */
export function isEnd(phase: Phase): boolean {
  return phase === 'done' || phase === 'failed'
}

/** Whether a rule or a fault broke the response. */
export function isFault({ fault, rules, status }: Entry): boolean {
  return fault !== null || (rules.length > 0 && status >= 400)
}

/** Whether the gateway refused the request. */
export function isRefused({ status }: Entry): boolean {
  return status >= 400
}

/** Whether an exchange is a lane of its own: a text has no task. */
export function isText({ task, role }: Entry): boolean {
  return task === null && writesText({ role })
}

/** The last state of a lane. */
export function lastState(lane: Lane): LaneState {
  return lane.states[lane.states.length - 1]!
}

/** The state of a lane at an instant. */
export function stateAt({ states }: Lane, at: number): LaneState {
  let found = states[0]!
  for (const state of states) if (state.from <= at) found = state
  return found
}

/** Whether a lane has failed by an instant. */
export function hasFailed(lane: Lane, at: number): boolean {
  return lane.end <= at && lastState(lane).phase === 'failed'
}

/** The lane of a task. */
export function laneOfTask(task: Task): Lane {
  const { id, operation, makes, request, submittedAt, timeline } = task
  const states = timeline.map(({ status, from, phase }) => ({ status, from, phase }))
  const last = states.at(-1)!
  const parent = textOf(request['parent']) || textOf(request['taskId'])
  return {
    id,
    medium: makes,
    label: labelOf(task, parent !== ''),
    operation,
    start: submittedAt,
    end: isEnd(last.phase) ? last.from : Infinity,
    states,
    entries: [],
    reason: timeline.at(-1)!.reason ?? task.reason,
    faults: 0,
    task,
    ...(parent !== '' && parent !== id && { parent }),
    depth: 0,
  }
}

/** The lane of a text: its request and its response. */
export function laneOfText(entry: Entry): Lane {
  const { at, firstByteAt, settledAt, status, stream, outcome } = entry
  const hasBroken = status >= 400 || outcome === 'failed' || (stream !== null && stream.ended !== 'finished')
  const states: LaneState[] = [{ phase: 'waiting', status: 'waiting', from: at }]
  const begin = firstByteAt ?? settledAt
  if (begin !== null)
    states.push({ phase: 'working', status: stream ? 'streaming' : 'answering', from: begin })
  if (settledAt !== null)
    states.push({ phase: hasBroken ? 'failed' : 'done', status: outcome, from: settledAt })
  return {
    id: `#${entry.number}`,
    medium: 'text',
    label: entry.prompt ?? entry.model ?? 'a text',
    operation: entry.operation!,
    start: at,
    end: settledAt ?? Infinity,
    states,
    entries: [entry],
    reason: hasBroken ? (stream?.ended ?? String(status)) : '',
    faults: isFault(entry) ? 1 : 0,
    depth: 0,
  }
}

/** Puts each lane after the one that it was made from, as a tree. Others stay in their order. */
export function nestLanes(lanes: readonly Lane[]): Lane[] {
  const places = new Map(lanes.map(({ id }, place) => [id, place]))
  const children = new Map<string, Lane[]>()
  const roots: Lane[] = []
  for (const [place, lane] of lanes.entries()) {
    const { parent } = lane
    // A parent comes first, so there are no circles.
    if (parent === undefined || (places.get(parent) ?? Infinity) >= place) roots.push(lane)
    else children.set(parent, [...(children.get(parent) ?? []), lane])
  }
  const ordered: Lane[] = []
  const add = (lane: Lane, depth: number): void => {
    lane.depth = depth
    ordered.push(lane)
    for (const child of children.get(lane.id) ?? []) add(child, depth + 1)
  }
  for (const root of roots) add(root, 0)
  return ordered
}

/** The prompt, or what was done to the task that it was made from. */
function labelOf({ operation, request }: Task, isNested: boolean): string {
  const prompt = textOf(request['prompt'])
  const action = textOf(request['action']).toLowerCase()
  if (isNested && action !== '') return prompt === '' ? action : `${action}: ${prompt}`
  return prompt || action || operation
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

import type { Draws } from '../../engine/random/draws.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { ClipSpec, MediaSpec } from '../../media/spec.ts'

/** A kind of task: the states that it passes, and the media that it makes. */
export interface TaskKind {
  /** Its name is that of the kind. */
  readonly lifecycle: Lifecycle
  /** The clips to encode for a task; empty if there are none, or if a file is sent. */
  readonly clipsOf: (task: Task) => readonly ClipSpec[]
  /** The result of a task: of several videos, the first. Undefined for a task without media. */
  readonly mediaOf: (task: Task) => MediaSpec | undefined
  /** The image that stands for the result of a task. For a video, the video itself. */
  readonly posterOf: (task: Task) => MediaSpec | undefined
  /** Makes the response to a poll at an instant. @throws {Error} for a record whose request is invalid. */
  readonly tryPoll: (task: Task, now: number, draws: Draws) => void
}

/** Finds the kind of a task. */
export type FindKind = (task: Task) => TaskKind

import { viewAt } from '../../../engine/tasks/timeline.ts'
import { defineLifecycle, type Lifecycle } from '../../../engine/tasks/lifecycle.ts'
import type { TaskKind } from '../../define/api.ts'
import { paces } from '../request/pace.ts'
import { clipsOfJob, mediaOfJob, posterOfJob } from './files.ts'
import { filesOf } from './stored-job.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import { firstWords } from './state-words.ts'
import { jobRequest, storedJob } from './stored-job.ts'

/** The states of the jobs of an API, in the vendor's words. */
export function lifecycleOf({
  name,
  states,
  lifecycle,
  timing = {},
  beginsAt = 0,
}: ApiDefinition): Lifecycle {
  const { queue, work, success, failure, cancelling, cancelled } = firstWords(states)
  const roles = { queue, work, success, failure, ...(cancelled !== undefined && { cancelled }) }
  if (lifecycle) return defineLifecycle(name, lifecycle, roles)
  // Only a request or a rule cancels a job.
  const ends = {
    ...(cancelling !== undefined && { [cancelling]: 0 }),
    ...(cancelled !== undefined && { [cancelled]: 0 }),
  }
  return defineLifecycle(
    name,
    {
      initial: queue,
      states: {
        [queue]: { after: timing.queued ?? paces.quick.queued, progress: 0, to: { [work]: 1, ...ends } },
        [work]: {
          after: timing.render ?? paces.quick.render,
          progress: { from: beginsAt, to: 99 },
          to: { [success]: 1, [failure]: 0, ...ends },
        },
        ...(cancelling !== undefined && {
          [cancelling]: { after: timing.cancelling ?? '5s', progress: 99, to: { [cancelled!]: 1 } },
        }),
        [success]: { final: true, progress: 100 },
        [failure]: { final: true, progress: 100 },
        ...(cancelled !== undefined && { [cancelled]: { final: true as const, progress: 100 } }),
      },
    },
    roles,
  )
}

/** The tasks of an API. */
export function jobKind(definition: ApiDefinition): TaskKind {
  return {
    lifecycle: lifecycleOf(definition),
    request: storedJob,
    makes: (task) => (filesOf(jobRequest(task)).some(({ kind }) => kind === 'video') ? 'video' : 'image'),
    clipsOf: clipsOfJob,
    mediaOf: (task) => mediaOfJob(task, 0),
    posterOf: posterOfJob,
    tryPoll: (task, now) => {
      viewAt(task.timeline, task.lifecycle, now)
      mediaOfJob(task, 0)
    },
  }
}

import { defineLifecycle } from '../../engine/tasks/lifecycle.ts'
import { paces } from './pace.ts'

/**
 * A video task's life (§3.1): queued, then IN_PROGRESS, then SUCCESS or FAILURE, in this order and never
 * otherwise. The times are ones a person can stand; a config file may replace them.
 *
 * @assumed §3.1 progress between 0 and 100 is not shown; wire §3.3: 30 % when rendering starts, 100 % on FAILURE.
 */
export const videoLifecycle = defineLifecycle(
  'video',
  {
    initial: 'queued',
    states: {
      queued: {
        after: paces.quick.queued,
        progress: 0,
        to: 'IN_PROGRESS',
      },
      IN_PROGRESS: {
        after: paces.quick.render,
        progress: { from: 30, to: 99 },
        to: { SUCCESS: 1, FAILURE: 0 },
      },
      SUCCESS: { final: true, progress: 100 },
      FAILURE: { final: true, progress: 100 },
    },
  },
  { queue: 'queued', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
)

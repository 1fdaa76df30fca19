import { defineLifecycle } from '../../engine/tasks/lifecycle.ts'
import { drawingPaces } from './pace.ts'

/**
 * A drawing task's life (§3.2): it ends in SUCCESS or FAILURE. A task that needs the client's word first waits in MODAL
 * for `mj.modal`, and fails when nobody comes.
 *
 * @assumed §3.2 the states before the end are not shown; wire §7.6: NOT_START, SUBMITTED, IN_PROGRESS with the
 * percentages of the drawing bot, and 100 % on FAILURE.
 */
export const drawingLifecycle = defineLifecycle(
  'drawing',
  {
    initial: 'NOT_START',
    states: {
      NOT_START: { after: drawingPaces.fast.queued, to: 'SUBMITTED', progress: 0 },
      MODAL: {
        on: 'mj.modal',
        timeout: '5m',
        expires: 'FAILURE',
        expiryReason: '任务超时',
        to: 'SUBMITTED',
        progress: 0,
      },
      SUBMITTED: { after: '1s', to: 'IN_PROGRESS', progress: 0 },
      IN_PROGRESS: {
        after: drawingPaces.fast.render,
        progress: [0, 15, 31, 46, 62, 78, 93],
        to: { SUCCESS: 1, FAILURE: 0 },
      },
      SUCCESS: { final: true, progress: 100 },
      FAILURE: { final: true, progress: 100 },
    },
  },
  { queue: 'NOT_START', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
)

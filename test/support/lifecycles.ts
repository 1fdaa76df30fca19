import type { Lifecycle } from '../../src/engine/tasks/lifecycle.ts'

// Lifecycles for tests of the engine, in the form of those of APIs: one that moves by time alone, and one whose tasks may wait for a
// request.

export const videoLifecycle: Lifecycle = {
  name: 'video',
  roles: { queue: 'queued', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
  initial: 'queued',
  states: {
    queued: {
      progress: 0,
      to: { IN_PROGRESS: 1 },
      after: { lognormal: { p50: 2_000, p95: 5_000, min: 500, max: 10_000 } },
    },
    IN_PROGRESS: {
      progress: { from: 30, to: 99 },
      to: { SUCCESS: 1, FAILURE: 0 },
      after: { lognormal: { p50: 12_000, p95: 24_000, min: 4_000, max: 30_000 } },
    },
    SUCCESS: { final: true, progress: 100 },
    FAILURE: { final: true, progress: 100 },
  },
}

export const drawingLifecycle: Lifecycle = {
  name: 'drawing',
  roles: { queue: 'NOT_START', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
  initial: 'NOT_START',
  states: {
    NOT_START: {
      to: 'SUBMITTED',
      progress: 0,
      after: { lognormal: { p50: 1_000, p95: 3_000, min: 300, max: 6_000 } },
    },
    MODAL: {
      on: 'mj.modal',
      timeout: 300_000,
      expires: 'FAILURE',
      expiryReason: '任务超时',
      to: 'SUBMITTED',
      progress: 0,
    },
    SUBMITTED: { to: 'IN_PROGRESS', progress: 0, after: 1_000 },
    IN_PROGRESS: {
      progress: [0, 15, 31, 46, 62, 78, 93],
      to: { SUCCESS: 1, FAILURE: 0 },
      after: { lognormal: { p50: 9_000, p95: 16_000, min: 4_000, max: 25_000 } },
    },
    SUCCESS: { final: true, progress: 100 },
    FAILURE: { final: true, progress: 100 },
  },
}

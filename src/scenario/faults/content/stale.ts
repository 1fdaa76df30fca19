import { sampleDuration } from '../../../engine/random/distribution.ts'
import { may } from '../../schema/fields.ts'
import { durationSpec } from '../../schema/values.ts'
import { defineFault } from '../fault.ts'
import { unexpectedState } from '../good-clients.ts'

export const stale = defineFault({
  name: 'stale',
  description:
    'A poll shows an earlier state of the task. After a callback, the first one of its task is replayed, with its signature.',
  fields: { by: may(durationSpec, 'The age of that state. Default: half of the age of the task.', '30s') },
  hits: ['poll', 'download', 'report'],
  visibleIn: 'content',
  goodClient: { ...unexpectedState, rank: 2 },
  explored: { at: ['poll', 'report'], fields: { by: '10s' } },

  viewedAt({ by }, { submittedAt, now }, draw) {
    const byMs = by === undefined ? (now - submittedAt) / 2 : (sampleDuration(by, draw('stale')) ?? Infinity)
    return Math.round(Math.max(submittedAt, now - byMs))
  },
})

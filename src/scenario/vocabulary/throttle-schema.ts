import * as z from 'zod/mini'
import { readRefill } from '../schema/window.ts'
import { respondSchema } from './answer-schema.ts'
import { may, must, named, readable, refusing } from '../schema/fields.ts'
import { matchSchema, windowText } from './match-schema.ts'
import { identifier, positive } from '../schema/values.ts'

const kinds = ['bucket', 'concurrent', 'workers', 'outage'] as const

export const throttleSchema = z.lazy(() =>
  named(
    'throttle',
    z
      .strictObject({
        id: may(
          identifier,
          'Its name in journal and reports. Default: its place in the list, as in `throttle-1`.',
          'submissions',
        ),
        optional: may(z.boolean(), 'Whether the run may pass although it never refused a request.', true),
        match: must(matchSchema, 'Which requests it concerns.', { op: 'video.submit' }),
        per: may(
          z.enum(['key', 'namespace']),
          'What it counts for: each key, or each namespace. Default `key`.',
          'namespace',
        ),
        bucket: may(
          z.strictObject({
            capacity: must(positive(), 'The number of requests that pass at once.', 2),
            refill: must(
              z
                .string()
                .check(readable(readRefill))
                .check(z.meta({ pattern: '^\\s*\\d+(?:\\.\\d+)?\\s*/\\s*\\S+\\s*$' })),
              'The refill rate: 1/10s is one request every ten seconds.',
              '1/10s',
            ),
          }),
          'A token bucket on virtual time, full at first.',
          { capacity: 2, refill: '1/10s' },
        ),
        concurrent: may(positive(), 'The number of unfinished tasks; more are refused.', 3),
        workers: may(positive(), 'The number of tasks that render at a time; others wait in the queue.', 1),
        outage: may(
          windowText,
          'A period of virtual time in which all such requests are refused.',
          '30s..55s',
        ),
        respond: may(
          respondSchema,
          'The refusal. Default: 429, and 503 in an outage, with `retryAfter: auto`.',
          { status: 429, retryAfter: 'auto' },
        ),
      })
      .check(
        refusing((throttle) =>
          kinds.some((kind) => throttle[kind] !== undefined)
            ? undefined
            : 'it throttles nothing. Give it bucket, concurrent, workers or outage',
        ),
      ),
    'A limit on rate or concurrency. Throttles apply before rules.',
    { match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } },
  ),
)

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
          'Its name in journal and reports. Default: its place, as in `throttle-1`.',
          'submissions',
        ),
        optional: may(z.boolean(), 'Whether it may never refuse a request without failing a verdict.', true),
        match: must(matchSchema, 'Which requests it concerns.', { op: 'video.submit' }),
        per: may(z.enum(['key', 'namespace']), 'Whom it is counted for. Default: each key.', 'namespace'),
        bucket: may(
          z.strictObject({
            capacity: must(positive(), 'How many requests may come at once.', 2),
            refill: must(
              z
                .string()
                .check(readable(readRefill))
                .check(z.meta({ pattern: '^\\s*\\d+(?:\\.\\d+)?\\s*/\\s*\\S+\\s*$' })),
              'How fast it fills again: 1/10s is one request each ten seconds.',
              '1/10s',
            ),
          }),
          'A bucket of tokens on virtual time: full at first, one less for each request, and filled again at a rate.',
          { capacity: 2, refill: '1/10s' },
        ),
        concurrent: may(positive(), 'How many tasks may be unfinished at a time; another is refused.', 3),
        workers: may(
          positive(),
          'How many tasks are worked on at a time; others wait in the queue for their turn.',
          1,
        ),
        outage: may(windowText, 'When all such requests are refused: a window of virtual time.', '30s..55s'),
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
    'How many requests are let through. Throttles apply before rules.',
    { match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } },
  ),
)

import * as z from 'zod/mini'
import { readRefill } from '../schema/window.ts'
import { respondSchema } from './answer-schema.ts'
import { optionDefaults } from './defaults.ts'
import { may, mayDefault, must, named, readable, refusing } from '../schema/fields.ts'
import { such } from '../schema/known-names.ts'
import { matchSchema, windowSchema, windowText } from './match-schema.ts'
import { duration, identifier, positive } from '../schema/values.ts'

const kinds = ['rate', 'bucket', 'concurrent', 'workers', 'outage'] as const

export const rate = z.lazy(() =>
  z.strictObject({
    requests: must(
      positive(),
      'The maximum number of requests in each window. Further requests get 429.',
      60,
    ),
    per: mayDefault(
      duration,
      'The length of the window on the virtual clock. The first request opens it.',
      optionDefaults.throttle.per,
    ),
    retryAfter: may(
      z.boolean(),
      'Whether a refusal has a message and `Retry-After`. Otherwise, it is only the status 429. Default true.',
      false,
    ),
    headers: may(z.boolean(), 'Whether responses carry `x-ratelimit-*`. Default false.', true),
  }),
)

export const throttleSchema = z.lazy(() =>
  named(
    'throttle',
    z
      .strictObject({
        id: may(
          identifier,
          'The name of the throttle in journal and reports. Default: its place in the list, as in `throttle-1`.',
          'submissions',
        ),
        optional: may(z.boolean(), 'Whether the run may pass if the throttle never refuses a request.', true),
        match: must(matchSchema, 'The requests that the throttle counts.', { op: such.submit }),
        when: may(
          windowSchema,
          'When the throttle is active. Two throttles with different times change a limit in the middle of a run.',
          { vars: { mode: 'degraded' } },
        ),
        per: may(
          z.enum(['key', 'namespace']),
          'Whether the throttle counts for each key, or for each namespace. Default `key`.',
          'namespace',
        ),
        rate: may(rate, 'A limit on the requests in a window of virtual time. Invalid requests count, too.', {
          requests: 60,
          per: '1m',
        }),
        bucket: may(
          z.strictObject({
            capacity: must(positive(), 'The number of requests that a full bucket allows.', 2),
            refill: must(
              z
                .string()
                .check(readable(readRefill))
                .check(z.meta({ pattern: '^\\s*\\d+(?:\\.\\d+)?\\s*/\\s*\\S+\\s*$' })),
              'The refill rate: 1/10s is one request every ten seconds.',
              '1/10s',
            ),
          }),
          'A token bucket on virtual time, which is full at the start.',
          { capacity: 2, refill: '1/10s' },
        ),
        concurrent: may(positive(), 'The maximum number of unfinished tasks. Further ones are refused.', 3),
        workers: may(
          positive(),
          'The number of tasks that render at the same time. Others wait in the queue.',
          1,
        ),
        outage: may(windowText, 'A period of virtual time in which these requests are refused.', '30s..55s'),
        respond: may(
          respondSchema,
          'The refusal. Default: 429, and 503 in an outage, with `retryAfter: auto`.',
          { status: 429, retryAfter: 'auto' },
        ),
      })
      .check(refusing(throttleProblem)),
    'A limit on rate or concurrency. Throttles apply before rules.',
    { match: { op: such.submit }, bucket: { capacity: 2, refill: '1/10s' } },
  ),
)

function throttleProblem(throttle: Readonly<Record<string, unknown>>): string | undefined {
  const given = kinds.filter((kind) => throttle[kind] !== undefined)
  if (given.length === 0) return 'it throttles nothing. Give it rate, bucket, concurrent, workers or outage'
  if (given.includes('workers') && throttle['when'] !== undefined)
    return 'workers have no `when`: a task waits for one from its submission on. Leave when out'
  if (!given.includes('rate')) return undefined
  if (given.length > 1) return 'rate needs a throttle of its own. Move the other keys to another one'
  return throttle['respond'] === undefined ? undefined : 'a rate has its own response. Leave respond out'
}

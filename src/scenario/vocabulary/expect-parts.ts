import * as z from 'zod/mini'
import { faultTypes } from '../faults/index.ts'
import { channel, count, durationRange, name, names } from './expect-values.ts'
import { may, must, named } from './fields.ts'
import { bodyMatches, valueMatch, valueMatches } from './match-schema.ts'
import { list, operationsSchema, positive, wholeNumber } from './values.ts'

const each = may(z.boolean(), 'Whether it must be true of all of them.', true)
const howMany = may(count, 'How many there must be. Default: at least one.', 3)

export const expectTasks = z.lazy(() =>
  named(
    'expectTask',
    z.strictObject({
      channel: may(channel, 'Which: of this surface.', 'video'),
      op: may(operationsSchema, 'Which: made by this operation, or by several by `*`.', 'mj.imagine'),
      model: may(z.string(), 'Which: of this model; `*` stands for any text.', 'video-hd-*'),
      nth: may(positive(), 'Which: the so-manieth of its channel in the order of submission, from 1.', 2),
      status: may(names, 'The state in which it is at the end of the run, or one of several.', 'SUCCESS'),
      reason: may(valueMatch, 'Why it failed.', { contains: 'content policy' }),
      elapsed: may(durationRange, 'From its submission to its end, in virtual time.', { max: '4m' }),
      count: howMany,
      each,
    }),
    'Which tasks, and what must be true of them.',
    { channel: 'video', nth: 2, status: 'FAILURE' },
  ),
)

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const statusMatch = z.union([wholeNumber(100, 599), z.enum(statusClasses)])

export const expectRequests = z.lazy(() =>
  named(
    'expectRequest',
    z.strictObject({
      op: must(operationsSchema, 'Which: of this operation, or of several by `*`.', 'video.poll'),
      channel: may(channel, 'Which: that concern a task of this surface.', 'video'),
      taskNth: may(
        positive(),
        'Which: that concern the so-manieth task of its channel in the order of submission, from 1.',
        2,
      ),
      model: may(z.string(), 'Which: for this model; `*` stands for any text.', 'video-hd-*'),
      nth: may(positive(), 'Which: the so-manieth of them, from 1.', 1),
      status: may(
        z.union([statusMatch, list(statusMatch, 1)]),
        'The status of the answer, a class of them, or one of several.',
        429,
        '5xx',
      ),
      outcome: may(
        z.enum(['completed', 'aborted', 'failed']),
        'Whether the answer was handed over whole, or the client left before, or its bytes could not be made.',
        'aborted',
      ),
      content: may(
        z.enum(['complete', 'partial', 'altered']),
        'What arrived of the bytes of the answer.',
        'complete',
      ),
      stream: may(
        z.strictObject({
          chunks: may(count, 'How many chunks were handed over.', 8),
          ended: may(z.enum(['finished', 'error', 'cut', 'aborted']), 'How it ended.', 'finished'),
        }),
        'How a streamed text went.',
        { chunks: 8, ended: 'error' },
      ),
      ttfb: may(durationRange, 'From admission to the first byte of the answer, in virtual time.', {
        max: '4s',
      }),
      body: may(bodyMatches, 'Fields of the body that the client sent, by their paths.', {
        model: 'video-1',
        prompt: { contains: 'kite' },
      }),
      headers: may(valueMatches, 'Headers that the client sent.', { 'user-agent': { glob: '*my-app*' } }),
      query: may(valueMatches, 'Parameters of the query that the client sent.', { alt: 'sse' }),
      rule: may(name, 'The rule or throttle that fired.', 'flaky-polls'),
      fault: may(z.enum(faultTypes), 'How the answer was broken.', 'truncate'),
      count: howMany,
      each,
      saw: may(
        list(name, 1),
        'The states that each of the tasks must have been shown by these requests, in this order; others may lie between.',
        ['queued', 'IN_PROGRESS', 'SUCCESS'],
      ),
    }),
    'Which requests, and what must be true of them.',
    { op: 'video.submit', count: 1 },
  ),
)

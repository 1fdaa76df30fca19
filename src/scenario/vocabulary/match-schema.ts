import * as z from 'zod/mini'
import { DurationError } from '../../engine/clock/duration.ts'
import { readPath } from '../schema/body-path.ts'
import type { Scalar, ValueMatch } from '../rules/rule.ts'
import { parseWindow } from '../schema/window.ts'
import { may, must, named, refusing } from '../schema/fields.ts'
import { patternProblem } from '../schema/patterns.ts'
import { list, operationsSchema, positive, text } from '../schema/values.ts'

const scalar = z.union([z.string(), z.number(), z.boolean()])
const scalarOrNull: z.ZodMiniType<Scalar | null> = z.union([scalar, z.null()])

/** What must be true of a value, but for `not`, which takes any of them. */
export const plainValueMatch = z.union([
  scalar,
  z.null(),
  z.strictObject({ equals: must(scalarOrNull, 'The very value.', 'video-1') }),
  z.strictObject({ glob: must(z.string(), 'A pattern in which `*` stands for any text.', 'video-hd-*') }),
  z.strictObject({ contains: must(z.string(), 'A part of the text.', 'boat') }),
  z
    .strictObject({
      regex: must(
        text(1, 200),
        'A regular expression that is found in the text, without look-around and back-references.',
        '^seed-\\d+$',
      ),
      flags: may(
        z.string().check(z.regex(/^i?$/, 'the only flag is "i"')),
        '`i` takes small and capital letters to be the same.',
        'i',
      ),
    })
    .check(refusing(({ regex, flags }) => patternProblem(regex, flags))),
  z.strictObject({ in: must(list(scalarOrNull, 1), 'One of several values.', ['5', '10']) }),
  z.strictObject({ exists: must(z.boolean(), 'Whether it is there at all.', true) }),
])

const negated: z.ZodMiniType<{ not: ValueMatch }> = named(
  'negation',
  z.strictObject({
    not: must(
      z.lazy(() => valueMatch),
      'What must not be true of it.',
      { contains: 'boat' },
    ),
  }),
  'The opposite of a value match.',
  { not: { contains: 'boat' } },
)

/** A value that must be equal, or what must be true of it. */
export const valueMatch: z.ZodMiniType<ValueMatch> = named(
  'valueMatch',
  z.union([...plainValueMatch.def.options, negated]),
  'A value that must be equal, or what must be true of it: equals, glob, contains, regex, in, exists, not.',
  'video-1',
  { glob: 'video-*' },
) as z.ZodMiniType<ValueMatch>

export const valueMatches = z.record(text(1), valueMatch)

export const bodyMatches = z.lazy(() =>
  z.record(
    text(1).check(
      refusing((path) =>
        readPath(path) ? undefined : 'it is no path into a body. Write it as messages[0].content',
      ),
    ),
    valueMatch,
  ),
)

const taskMatch = z.lazy(() =>
  z
    .strictObject({
      nth: may(
        z.union([positive(), list(positive(), 1)]),
        'Its place among the videos, or among the drawings, in the order of submission, from 1; or one of several.',
        2,
      ),
      prompt: may(z.string(), 'The prompt that it was made with; `*` stands for any text.', '*boat*'),
      model: may(z.string(), 'The model that it was made with; `*` stands for any text.', 'video-hd-*'),
    })
    .check(
      refusing((task) =>
        Object.keys(task).length === 0 ? 'it names no task. Write nth, prompt or model' : undefined,
      ),
    ),
)

export const matchSchema = z.lazy(() =>
  named(
    'match',
    z.strictObject({
      op: must(operationsSchema, 'The operation, or several by `*` or in a list.', 'video.poll', 'video.*'),
      model: may(
        z.string(),
        'The requested model, or that of the task that the request is about; `*` stands for any text.',
        'video-hd-*',
      ),
      prompt: may(
        z.string(),
        'The prompt, or that of the task that the request is about; `*` stands for any text.',
        '*boat*',
      ),
      task: may(
        taskMatch,
        'The video or drawing that the request is about; for a submission, the one that it makes.',
        { nth: 2 },
      ),
      body: may(
        bodyMatches,
        'Fields of the body by their paths; for a request without a body, of the one that made its task.',
        { 'messages[0].content': { contains: 'boat' } },
      ),
      headers: may(valueMatches, 'Headers of the request.', { 'user-agent': { glob: '*my-app*' } }),
      query: may(valueMatches, 'Parameters of the query.', { alt: 'sse' }),
      key: may(valueMatch, 'The whole key, as the client sends it.', 'sk-second'),
      namespace: may(valueMatch, 'The namespace of the request.', 'team'),
      state: may(valueMatch, 'The state of the task that the request concerns.', 'IN_PROGRESS'),
    }),
    'Which requests. All of it must be true.',
    { op: 'video.submit', model: 'video-*' },
  ),
)

/** A stretch of virtual time, such as `30s..55s`. */
export const windowText = z.lazy(() =>
  named(
    'window',
    z
      .string()
      .check(refusing(windowProblem))
      .check(z.meta({ pattern: '^[^.]*(?:\\.\\d+[^.]*)*\\.\\.' })),
    'A stretch of virtual time since the beginning, its end not included: 30s..55s, 1m.., ..10s.',
    '30s..55s',
  ),
)

function windowProblem(text: string): string | undefined {
  try {
    parseWindow(text)
    return undefined
  } catch (error) {
    if (error instanceof DurationError) return error.message
    throw error
  }
}

export const windowSchema = z.lazy(() =>
  z.strictObject({
    clock: may(windowText, 'Only in this stretch of virtual time since the beginning.', '30s..55s'),
    vars: may(
      z.record(text(1), scalarOrNull),
      'Only while variables have these values; null: while it is not set.',
      { mode: 'degraded' },
    ),
  }),
)

export const variables = z.record(text(1), scalarOrNull)

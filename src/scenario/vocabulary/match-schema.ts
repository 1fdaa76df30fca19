import * as z from 'zod/mini'
import { DurationError } from '../../engine/clock/duration.ts'
import { readPath } from '../schema/body-path.ts'
import type { Scalar, ValueMatch } from './types.ts'
import { roles } from '../../engine/operations/facts.ts'
import type { OperationMatch } from '../../engine/operations/operation-table.ts'
import { knownOperations, such } from '../schema/known-names.ts'
import { parseWindow } from '../schema/window.ts'
import { may, must, named, refusing } from '../schema/fields.ts'
import { patternProblem } from '../schema/patterns.ts'
import { templateProblem, unfilledProblem } from '../schema/templates.ts'
import { list, operationsSchema, positive, text } from '../schema/values.ts'

export const scalar = z.union([z.string(), z.number(), z.boolean()])
const scalarOrNull: z.ZodMiniType<Scalar | null> = z.union([scalar, z.null()])

/** What must be true of a value, but for `not`, which takes any of them. */
const plainValueMatch = z.union([
  scalar,
  z.null(),
  z.strictObject({ equals: must(scalarOrNull, 'The exact value.', 'video-1') }),
  z.strictObject({
    glob: must(z.string(), 'A pattern; `*` matches any characters.', 'video-hd-*'),
  }),
  z.strictObject({ contains: must(z.string(), 'A part of the text.', 'boat') }),
  z
    .strictObject({
      regex: must(
        text(1, 200),
        'A regular expression that the first 10,000 characters must match.',
        '^seed-\\d+$',
      ),
      flags: may(z.string().check(z.regex(/^i?$/, 'the only flag is "i"')), '`i` ignores case.', 'i'),
    })
    .check(refusing(({ regex, flags }) => patternProblem(regex, flags))),
  z.strictObject({ in: must(list(scalarOrNull, 1), 'One of several values.', ['5', '10']) }),
  z.strictObject({ exists: must(z.boolean(), 'Whether the value is present.', true) }),
])

const negated: z.ZodMiniType<{ not: ValueMatch }> = named(
  'negation',
  z.strictObject({
    not: must(
      z.lazy(() => valueMatch),
      'A condition that must be false.',
      { contains: 'boat' },
    ),
  }),
  'The opposite of a condition.',
  { not: { contains: 'boat' } },
)

/** An exact value, or a condition. */
export const valueMatch: z.ZodMiniType<ValueMatch> = named(
  'valueMatch',
  z.union([...plainValueMatch.def.options, negated]),
  'An exact value, or a condition: `equals`, `glob`, `contains`, `regex`, `in`, `exists`, `not`.',
  'video-1',
  { glob: 'video-*' },
) as z.ZodMiniType<ValueMatch>

export const valueMatches = z.record(text(1), valueMatch)

export const bodyMatches = z.lazy(() =>
  z.record(
    text(1).check(
      refusing((path) =>
        readPath(path) ? undefined : 'not a path into a body. Write it as messages[0].content',
      ),
    ),
    valueMatch,
  ),
)

export const taskMatch = z.lazy(() =>
  z
    .strictObject({
      nth: may(
        z.union([positive(), list(positive(), 1)]),
        'The number of the task among the videos or drawings, in the order of submission, from 1; or a list of numbers.',
        2,
      ),
      prompt: may(z.string(), 'The prompt of its submission; `*` matches any characters.', '*boat*'),
      model: may(z.string(), 'The model of its submission; `*` matches any characters.', 'video-hd-*'),
    })
    .check(
      refusing((task) =>
        Object.keys(task).length === 0 ? 'it names no task. Write nth, prompt or model' : undefined,
      ),
    ),
)

const role = z.enum(roles)

/** One or several roles. */
export const rolesSchema = z.union([role, list(role, 1)])

/** Why no operation can match; undefined if one can. */
export function selectsNothing(match: OperationMatch): string | undefined {
  if (match.op === undefined && match.role === undefined) return 'it selects no operation. Write op or role'
  const operations = knownOperations()
  if (!operations || match.role === undefined || operations.selectedBy(match).length > 0) return undefined
  const named = match.op === undefined ? 'no operation' : `no operation of ${[match.op].flat().join(', ')}`
  return `${named} has the role ${[match.role].flat().join(' or ')}`
}

export const matchSchema = z.lazy(() =>
  named(
    'match',
    z
      .strictObject({
        op: may(
          operationsSchema,
          'The operation, a pattern in which `*` matches any characters, or a list of these.',
          such.poll,
          such.family,
        ),
        role: may(
          rolesSchema,
          'What the operation does, in every API, or a list of these. With `op`, both must match.',
          'poll',
          ['poll', 'download'],
        ),
        model: may(
          z.string(),
          'The model of the request or of its task; `*` matches any characters.',
          'video-hd-*',
        ),
        prompt: may(
          z.string(),
          'The prompt of the request or of its task; `*` matches any characters.',
          '*boat*',
        ),
        task: may(
          taskMatch,
          'The video or drawing of the request. A submission is about the task that it creates.',
          { nth: 2 },
        ),
        body: may(
          bodyMatches,
          'Fields of the body by path, such as `contents[*].parts[*].text`. For a request without a body, the body of its task counts.',
          { 'messages[0].content': { contains: 'boat' } },
        ),
        form: may(
          valueMatches,
          'Fields of a form (urlencoded or multipart) by name. A number matches its text; a file is a data URL.',
          { prompt: { contains: 'boat' }, image: { exists: true } },
        ),
        headers: may(valueMatches, 'Headers by name, in upper or lower case.', {
          'user-agent': { glob: '*my-app*' },
        }),
        query: may(valueMatches, 'Query parameters by name.', { alt: 'sse' }),
        key: may(valueMatch, 'The API key, as the client sends it.', 'sk-second'),
        namespace: may(valueMatch, 'The namespace of the request.', 'team'),
        state: may(valueMatch, 'The present state of the task of the request.', such.work),
      })
      .check(refusing(selectsNothing)),
    'Selects requests. All keys must match.',
    { op: such.submit, model: 'video-*' },
  ),
)

/** A period of virtual time, such as `30s..55s`. */
export const windowText = z.lazy(() =>
  named(
    'window',
    z
      .string()
      .check(refusing(windowProblem))
      .check(z.meta({ pattern: '^[^.]*(?:\\.\\d+[^.]*)*\\.\\.' })),
    'A period of virtual time since the start of the namespace, without its end: 30s..55s, 1m.., ..10s.',
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

const numberRange = z
  .strictObject({
    min: may(z.number(), 'The minimum; a variable that is not set counts as 0.', 3),
    max: may(z.number(), 'The maximum.', 5),
  })
  .check(
    refusing(({ min, max }) =>
      min === undefined && max === undefined ? 'it bounds nothing. Write min or max' : undefined,
    ),
  )

const plainScalar = scalarOrNull.check(
  refusing((value) => (typeof value === 'string' ? unfilledProblem(value) : undefined)),
)

export const windowSchema = z.lazy(() =>
  z.strictObject({
    clock: may(windowText, 'A period of virtual time since the start of the namespace.', '30s..55s'),
    vars: may(
      z.record(text(1), z.union([plainScalar, numberRange])),
      'Values of variables. `null` means that the variable is not set. A number may be a range.',
      { mode: 'degraded' },
      { refusals: { min: 3 } },
    ),
  }),
)

export const variables = z.record(
  text(1),
  z.union([
    scalarOrNull.check(refusing((value) => (typeof value === 'string' ? templateProblem(value) : undefined))),
    z.strictObject({ add: must(z.number(), 'The number to add; a new variable starts at 0.', 1) }),
  ]),
)

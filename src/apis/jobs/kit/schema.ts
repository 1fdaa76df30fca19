import * as z from 'zod/mini'
import { DurationError } from '../../../engine/clock/duration.ts'
import { once } from '../../../engine/once.ts'
import { checkDuration } from '../../../engine/random/distribution.ts'
import { isObject } from '../../../engine/is-object.ts'
import { parseSize } from '../../../media/size.ts'
import { durationPattern } from '../../../scenario/schema/values.ts'
import type { WebhookChange, WebhookOptions } from './webhook.ts'
import type { ApiDefinition, ApiOperation, OperationBase, QuirkDefinition, Refusals } from './definition.ts'

/** A schema for each key of a type: the compiler finds a key that has none, and one that does not exist. */
type Keys<Type> = Readonly<Record<keyof Type, z.ZodMiniType>>

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A value that a function judges, and what to write. */
const such = (fits: (value: unknown) => boolean, write: string): z.ZodMiniType => z.custom(fits, write)
const maybe = (schema: z.ZodMiniType): z.ZodMiniType => z.optional(schema)
/** An optional value. */
const may = (fits: (value: unknown) => boolean, write: string): z.ZodMiniType => maybe(such(fits, write))
const group = (shape: Readonly<Record<string, z.ZodMiniType>>): z.ZodMiniType =>
  maybe(z.strictObject(shape, `Write an object with ${Object.keys(shape).join(', ')}.`))
const like = (pattern: RegExp, write: string): z.ZodMiniType =>
  such((value) => typeof value === 'string' && pattern.test(value), write)
const words = (write: string, fits: (value: unknown) => boolean = isText): z.ZodMiniType =>
  may((value) => Array.isArray(value) && value.every(fits), write)
const calls = (write: string): z.ZodMiniType => such((value) => typeof value === 'function', write)

const text = may(isText, 'Write a text.')
const flag = may((value) => typeof value === 'boolean', 'Write true or false.')
const medium = may((value) => value === 'video' || value === 'image', "Write 'video' or 'image'.")
const amount = (least: number, most: number, write: string): z.ZodMiniType =>
  may((value) => typeof value === 'number' && value >= least && value <= most, write)
const whole = (least: number, write: string): z.ZodMiniType =>
  may((value) => Number.isInteger(value) && (value as number) >= least, write)
const isStatus = (least: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= 599

const pace = maybe(
  z.unknown().check(({ value, issues }) => {
    try {
      checkDuration(value as never)
    } catch (error) {
      const message = error instanceof DurationError ? error.message : "Write a duration, such as '20s'"
      issues.push({ code: 'custom', message: `${message}.`, input: value })
    }
  }),
)
/** A number would be milliseconds here, and seconds to many vendors. */
const isSpan = (value: unknown): boolean =>
  typeof value === 'string' && new RegExp(durationPattern).test(value)
const span = may(isSpan, "Write a duration with its unit, such as '1h'.")

const writeStatus = 'Write a status from 400 to 599'
const refusal = maybe(
  z.union(
    [
      such(isStatus(400), `${writeStatus}.`),
      z.strictObject({ status: such(isStatus(400), `${writeStatus}.`), code: text, message: text }),
    ],
    `${writeStatus}, or { status, code, message }.`,
  ),
)
const refusals = group({
  invalidBody: refusal,
  invalidSize: refusal,
  invalidSeconds: refusal,
  unknownJob: refusal,
  noResult: refusal,
  expired: refusal,
  reusedKey: refusal,
} satisfies Keys<Refusals>)

const base = {
  route: like(
    /^(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE) )+\/[!-~]*$/,
    "Write METHOD /path, such as 'GET /v1/predictions/{id}'.",
  ),
  also: words("Write a list of paths, such as ['/v1/jobs/{id}'].", (path) => isText(path) && path[0] === '/'),
  summary: text,
  status: may(isStatus(200), 'Write a status from 200 to 599.'),
  isPublic: flag,
  refusals,
  contentType: text,
  option: text,
  answers: maybe(calls('Write answers: () => z.object({ … }).')),
} satisfies Keys<OperationBase>
const reply = calls('Write reply: (job) => ({ id: job.id, status: job.status }).')
const decides = maybe(calls("Write a function of the call, such as ({ quirks }) => quirks['name'] === 'on'."))

/** The keys of each role, besides those of all operations. */
const roles = {
  submit: {
    body: such(
      (value) => isObject(value) && typeof (value['safeParse'] ?? value['read']) === 'function',
      'Write body: z.object({ … }), with z of greenroom/api.',
    ),
    images: maybe(calls('Write images: (body) => [body.image].')),
    reads: maybe(calls('Write reads: ({ body }) => ({ model: body.model, prompt: body.prompt }).')),
    idempotency: maybe(
      z.union(
        [z.strictObject({ header: such(isText, 'Write the name of a header.') }), calls('')],
        "Write { header: 'idempotency-key' }, or a function: ({ body }) => body.client_token.",
      ),
    ),
    ofJob: flag,
    job: calls('Write job: ({ body }) => ({ model: body.model, prompt: body.prompt }).'),
    reply,
  },
  call: {
    body: may(
      (value) => isObject(value) && typeof value['safeParse'] === 'function',
      'Write body: z.object({ … }), with z of greenroom/api.',
    ),
    reply: calls('Write reply: ({ body }) => ({ … }).'),
  },
  poll: { interval: group({ min: span, max: span }), reply },
  result: { interval: group({ min: span, max: span }), reply },
  cancel: { reply },
  remove: { reply },
  list: { reply, least: whole(0, 'Write a number of jobs, such as 1.') },
  download: {
    makes: medium,
    expires: span,
    linkExpires: span,
    headers: maybe(calls("Write headers: (job) => ({ 'x-id': job.id }).")),
    stills: maybe(
      z.strictObject(
        { parameter: such(isText, 'Write the name of a parameter.') },
        "Write stills: { parameter: 'variant' }.",
      ),
    ),
    redirects: decides,
    isOpen: decides,
    failed: maybe(z.unknown()),
  },
} satisfies {
  [Role in ApiOperation['role']]: Keys<
    Omit<Extract<ApiOperation, { role: Role }>, keyof OperationBase | 'role'>
  >
}

/** What each operation is, as far as its role says. */
export const operationSchemas = once(() =>
  Object.fromEntries(
    Object.entries(roles).map(([role, keys]) => [
      role,
      z.strictObject({ role: z.unknown(), ...base, ...keys }),
    ]),
  ),
)

const state = such(
  isText,
  "Write the vendor's word, such as states: { queue: 'starting', work: 'processing', success: 'succeeded', failure: 'failed' }.",
)
const quirk = {
  values: such(
    (value) => Array.isArray(value) && value.length > 1 && value.every(isText),
    "Write the values, the default first, such as ['off', 'on'].",
  ),
  description: such(isText, 'Write what the quirk changes.'),
  profiles: may(
    (value) => isObject(value) && Object.values(value).every(isText),
    "Write a value for each profile, such as { upstream: 'on' }.",
  ),
  variant: maybe(
    z.strictObject(
      {
        isUnread: maybe(z.boolean('Write true or false.')),
        id: such(isText, 'Write the name of the variant.'),
        operation: such(isText, 'Write the key of an operation.'),
        advice: such(isText, 'Write what a good client does.'),
      },
      'Write { id, operation, advice }.',
    ),
  ),
} satisfies Keys<QuirkDefinition>

const changes = ['queue', 'work', 'success', 'failure', 'cancelled'] satisfies WebhookChange[]
const webhook = maybe(
  z.strictObject(
    {
      to: maybe(calls("Write to: ({ body }) => body['callback_url'].")),
      on: words(`Write a list of ${changes.join(', ')}.`, (each) => (changes as unknown[]).includes(each)),
      progress: words(
        'Write a list of percentages, such as [50].',
        (each) => typeof each === 'number' && each > 0 && each < 100,
      ),
      body: calls('Write body: (job) => ({ id: job.id, status: job.status }).'),
      sign: maybe(calls("Write sign: standardWebhooks('whsec_…').")),
      timeout: span,
      retries: words("Write a list of durations, such as ['5s', '5m'].", (each) => isSpan(each)),
      accepts: maybe(calls('Write accepts: (status) => status < 300.')),
    } satisfies Keys<WebhookOptions>,
    'Write webhook: { to: ({ body }) => …, body: (job) => ({ … }) }.',
  ),
)

const nameForm = /^[a-z][a-z0-9-]{0,30}$/
const idForm = {
  prefix: maybe(like(/^[\w-]{0,40}$/, '')),
  length: such((value) => Number.isInteger(value) && (value as number) >= 6 && (value as number) <= 64, ''),
  of: maybe(like(/^[\w-]{2,100}$/, '')),
}

/** The keys of a definition. What several of them say together, `checkDefinition` checks. */
export const definitionSchema = once(() =>
  z.strictObject(
    {
      name: like(nameForm, `Write 1 to 31 lower-case letters, digits or "-", such as name: 'replicate'.`),
      title: text,
      version: may(Number.isInteger, 'Write a whole number.'),
      prefix: maybe(like(nameForm, `Write 1 to 31 lower-case letters, digits or "-".`)),
      jobsOf: may(isObject, 'Write the definition of another API.'),
      states: z.strictObject(
        { queue: state, work: state, success: state, failure: state, cancelled: maybe(state) },
        'Write an object with queue, work, success, failure, cancelled.',
      ),
      makes: medium,
      timing: group({ queued: pace, render: pace }),
      beginsAt: amount(0, 99, 'Write a percentage from 0 to 99.'),
      defaults: group({
        seconds: amount(1, 3600, 'Write whole seconds, such as 5.'),
        size: may(
          (value) => typeof value === 'string' && parseSize(value) !== null,
          "Write WIDTHxHEIGHT, such as '1280x720'.",
        ),
      }),
      sizesOf: maybe(calls("Write sizesOf: (model) => ['1280x720'].")),
      contentType: text,
      quirks: maybe(
        z.record(
          z
            .string()
            .check(z.regex(/^[a-z][A-Za-z0-9]{0,40}$/, 'Use letters and digits, such as resultStyle.')),
          z.strictObject(quirk, 'Write { values, description }.'),
          "Write quirks: { resultStyle: { values: ['plain', 'nested'], description: '…' } }.",
        ),
      ),
      shows: maybe(calls("Write shows: (job) => ({ status: 'waiting', progress: job.progress }).")),
      id: may(
        (value) => value === 'uuid' || z.strictObject(idForm).safeParse(value).success,
        `Write 'uuid', or { prefix: 'job_', length: 24, of: 'abcdef0123456789' } with 6 to 64 letters, digits, "-" or "_".`,
      ),
      idParameter: maybe(like(/^\w+$/, "Write a name, such as 'task_id'.")),
      keys: group({
        like: may(
          (value) => value instanceof RegExp && !/[gy]/.test(value.flags),
          'Write a regular expression without the flags g and y, such as /^r8_/.',
        ),
        schemes: words("Write a list of names, such as ['Token']."),
        headers: words("Write a list of names, such as ['x-api-key']."),
        query: may(isText, "Write the name of a parameter, such as 'key'."),
        account: maybe(calls("Write account: (key) => key.split('.')[0].")),
      }),
      prefixes: words(
        "Write a list of paths without parameters, such as ['/v1/predictions'].",
        (path) => typeof path === 'string' && /^\/[^?{}\s]*[^?{}/\s]$/.test(path),
      ),
      refusals,
      before: maybe(calls("Write before: ({ header }) => (header('x-version') ? undefined : answer(400)).")),
      error: maybe(calls('Write error: ({ message }) => ({ detail: message }), the envelope of refusals.')),
      webhook,
      operations: z.record(
        z.string(),
        z.looseObject(
          { role: such(isText, 'Write submit({ … }).') },
          'Write submit({ … }), poll({ … }), result({ … }), cancel({ … }), remove({ … }), pages({ … }), call({ … }) or download({ … }).',
        ),
        'Write operations: { create: submit({ … }), get: poll({ … }) }.',
      ),
    } satisfies Keys<ApiDefinition>,
    'Write defineApi({ name, states, error, operations }).',
  ),
)

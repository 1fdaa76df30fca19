import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { isObject } from '../../../engine/is-object.ts'
import { lifecycleSetting } from '../../define/lifecycle-setting.ts'
import { parseSize } from '../../../media/size.ts'
import type { StateWords } from '../job/states.ts'
import type { ApiDefinition, QuirkDefinition } from './definition.ts'
import { jobRoles } from './roles.ts'
import {
  amount,
  calls,
  group,
  isSpan,
  isText,
  like,
  may,
  maybe,
  medium,
  pace,
  refusals,
  span,
  such,
  text,
  words,
  type Keys,
} from './values.ts'
import type { WebhookChange, WebhookOptions } from './webhook.ts'

const state = such(
  (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
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

const changes = ['queue', 'work', 'success', 'failure', 'cancelling', 'cancelled'] satisfies WebhookChange[]
const webhook = maybe(
  z.strictObject(
    {
      to: maybe(calls("Write to: ({ body }) => body['callback_url'].")),
      on: may(
        (value) =>
          value === 'all' ||
          (Array.isArray(value) && value.every((each) => (changes as unknown[]).includes(each))),
        `Write a list of ${changes.join(', ')}, or 'all'.`,
      ),
      name: text,
      like: text,
      contentType: text,
      advice: text,
      refuses: maybe(calls('Write refuses: (url) => refusal(`${url} can not be called`).')),
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
  prefix: maybe(like(/^[\w:/.+@=~-]{0,200}$/, '')),
  length: such((value) => Number.isInteger(value) && (value as number) >= 6 && (value as number) <= 64, ''),
  of: maybe(like(/^[\w-]{2,100}$/, '')),
}

const id = such(
  (value) => value === 'uuid' || z.strictObject(idForm).safeParse(value).success,
  `Write 'uuid', or { prefix: 'job_', length: 24, of: 'abcdef0123456789' } with 6 to 64 letters, digits, "-" or "_".`,
)

/** The keys of a definition. What several of them say together, `checkDefinition` checks. */
export const definitionSchema = once(() =>
  z.strictObject(
    {
      name: like(nameForm, `Write 1 to 31 lower-case letters, digits or "-", such as name: 'replicate'.`),
      title: text,
      version: may(Number.isInteger, 'Write a whole number.'),
      prefix: maybe(like(nameForm, `Write 1 to 31 lower-case letters, digits or "-".`)),
      jobsOf: may(isObject, 'Write the definition of another API.'),
      states: maybe(
        z.strictObject(
          {
            queue: state,
            work: state,
            success: state,
            failure: state,
            cancelling: maybe(state),
            cancelled: maybe(state),
          } satisfies Keys<StateWords>,
          'Write an object with queue, work, success, failure, cancelling, cancelled.',
        ),
      ),
      lifecycle: maybe(lifecycleSetting),
      modelPrefix: text,
      draws: text,
      makes: medium,
      timing: group({ queued: pace, render: pace, cancelling: pace }),
      beginsAt: amount(0, 99, 'Write a percentage from 0 to 99.'),
      defaults: group({
        seconds: amount(1, 3600, 'Write whole seconds, such as 5.'),
        size: may(
          (value) => typeof value === 'string' && parseSize(value) !== null,
          "Write WIDTHxHEIGHT, such as '1280x720'.",
        ),
      }),
      sizesOf: maybe(calls("Write sizesOf: (model) => ['1280x720'].")),
      contentType: may(
        (value) => isText(value) || typeof value === 'function',
        'Write a media type, or a function of the quirks.',
      ),
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
      id: maybe(id),
      uploads: maybe(id),
      aliases: maybe(
        z.record(z.string().check(z.regex(/^\w+$/, 'Use letters and digits, such as file.')), id),
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
          `Write ${jobRoles.map((role) => `${role}({ … })`).join(', ')}.`,
        ),
        'Write operations: { create: submit({ … }), get: poll({ … }) }.',
      ),
    } satisfies Keys<ApiDefinition>,
    'Write defineApi({ name, states, error, operations }).',
  ),
)

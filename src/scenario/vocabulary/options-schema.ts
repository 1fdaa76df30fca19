import * as z from 'zod/mini'
import type { ModelKind } from './types.ts'
import { optionDefaults } from './defaults.ts'
import {
  assumptions,
  clockModes,
  defaultLimitMs,
  maxRate,
  isValidInstant,
  servedClockModes,
} from '../../engine/clock/clock-settings.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { namespaceName } from '../../engine/namespace.ts'
import {
  isTokenFit,
  duration,
  list,
  maxDollars,
  nonNegative,
  positive,
  positiveNumber,
  text,
  wholeNumber,
} from '../schema/values.ts'
import { profile, quirksSchema, timing, webhooks } from './config-schema-gateway.ts'
import { price, textSchema } from './config-schema-text.ts'
import { flag, may, mayDefault, must, orField, refusing } from '../schema/fields.ts'
import { apiName, forEachSettings, such } from '../schema/known-names.ts'
import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { fieldPath } from './answer-schema.ts'
import { throttleSchema } from './throttle-schema.ts'
import { ruleSchema } from './rule-schema.ts'

const instant = z.lazy(() =>
  z.union(
    [z.iso.datetime({ offset: true }), z.iso.date(), z.number()],
    'must be an ISO date such as "2030-01-01T00:00:00Z"',
  ),
)

export const keyRecord = z.lazy(() =>
  z.strictObject({
    key: must(
      text(1),
      'The key, as clients send it. Clients that sign each request: the access key of an AWS signature, or the issuer or subject of a JSON Web Token.',
      'sk-second',
    ),
    namespace: may(
      z.string().check(z.regex(namespaceName, 'must be 1 to 64 letters, digits, "-" or "_"')),
      'The namespace of requests with this key; several keys can share one. Default `default`.',
      'team',
    ),
    expires: may(
      instant,
      'When the key expires on the virtual clock: an ISO date, or milliseconds since 1970.',
      '2031-01-01',
    ),
    models: may(
      list(z.string(), 1),
      'The models that the key can use; `*` matches any characters. Default: all.',
      ['video-*'],
    ),
    balance: may(
      nonNegative(maxDollars),
      'The balance in dollars, in each namespace. Default: unlimited.',
      5,
    ),
  }),
)
const key = z.lazy(() => z.union([text(1), keyRecord]))

/** Why a clock can't begin at an instant; undefined if it can. */
function outOfTime(start: string | number): string | undefined {
  const instant = typeof start === 'number' ? start : Date.parse(start)
  return isValidInstant(instant) ? undefined : 'must lie in the years from 1970 to 9999'
}

export const assumption = z.enum(assumptions)

const servedClockMode = z.enum(servedClockModes, {
  error: `must be ${servedClockModes.join(', ')}; host works only in the process of the clients`,
})

/** The details of a clock with one of the given modes. */
function clockDetailFor<Mode extends z.ZodMiniType>(mode: Mode) {
  return z
    .strictObject({
      mode: may(
        mode,
        'How time moves: `real` as on the host, `scaled` faster or slower, `manual` on request, `auto` when every client waits.',
        'auto',
      ),
      rate: may(positiveNumber(maxRate), 'In mode `scaled`, the virtual seconds per real second.', 60),
      start: may(
        instant.check(refusing(outOfTime)),
        'The instant at which the clock starts: an ISO date, or milliseconds since 1970.',
        '2030-01-01T00:00:00Z',
      ),
      pollStep: mayDefault(duration, 'In mode `auto`, the assumed wait between two polls of a task.', '5s'),
      assume: may(
        z.array(assumption),
        'In mode `auto`, the waits that are assumed of a client that never sleeps on the clock. `poll`: the poll step between two polls. `retry-after`: the time that a refusal names. Default `[poll]`.',
        ['poll', 'retry-after'],
      ),
      participants: may(
        positive(1_000),
        'In mode `auto`, the number of clients that share the clock. Time moves only while all of them wait. Default: unknown.',
        3,
      ),
      limit: mayDefault(
        duration,
        'In mode `auto`, the longest time that the clock of a namespace moves by itself.',
        formatDuration(defaultLimitMs),
        '24h',
      ),
    })
    .check(({ value: { mode, rate }, issues }) => {
      if (rate === undefined || mode === undefined || mode === 'scaled') return
      const message = `a rate goes with mode scaled, not with ${mode}. Leave one out`
      issues.push({ code: 'custom', path: ['rate'], message, input: rate })
    })
}

export const servedClockDetail = z.lazy(() => clockDetailFor(servedClockMode))
export const clockSchema = z.lazy(() => orField(servedClockMode, servedClockDetail))
/** Every mode, for a simulator in the process of its clients, which can follow their Date. */
export const clockMode = z.enum(clockModes)
export const clockDetail = z.lazy(() => clockDetailFor(clockMode))
export const embeddedClockSchema = z.lazy(() => orField(clockMode, clockDetail))

export const seedSchema = z.union([text(1), z.number()])

/** The sound of videos. */
export const audioOption = z.enum(['none', 'silence', 'tone', 'ambience'])

export const modelKind = apiName<ModelKind>('modelKinds')
/** A model. APIs bring what only theirs have. */
export const modelSettings = forEachSettings(({ models }) =>
  z.strictObject({
    name: must(text(1), 'The name of the model in requests.', 'video-1'),
    kind: may(modelKind, 'The kind of output. Default: every kind.', 'video'),
    ...models,
  }),
)

const limits = z.lazy(() =>
  z.strictObject({
    bodyMegabytes: mayDefault(
      positiveNumber(),
      'The largest request body.',
      optionDefaults.limits.bodyMegabytes,
    ),
    bodiesMegabytes: mayDefault(
      positiveNumber(),
      'The total size of all request bodies in memory.',
      optionDefaults.limits.bodiesMegabytes,
    ),
    promptCharacters: mayDefault(positive(), 'The longest prompt.', optionDefaults.limits.promptCharacters),
    imageMegabytes: mayDefault(
      positiveNumber(),
      'The largest image, decoded.',
      optionDefaults.limits.imageMegabytes,
    ),
    journalEntries: may(
      positive(),
      `The length of the journal of each namespace. Default ${optionDefaults.limits.journalEntries}; of \`serve\` 10000.`,
      optionDefaults.limits.journalEntries,
    ),
    namespaces: mayDefault(positive(), 'The number of namespaces.', optionDefaults.limits.namespaces),
  }),
)

const retention = z.lazy(() =>
  z.strictObject({
    tasks: may(positive(), 'The maximum number of tasks; the oldest are removed first.', 1_000),
    age: may(duration, 'The maximum age of a task since its submission, on the virtual clock.', '24h'),
    idle: may(
      duration,
      'The real time without a request after which a namespace other than `default` is removed.',
      '24h',
    ),
  }),
)

const notAnApi = 'must be a file, the name of a shipped API, or what defineApi returns'

/** A definition in code. Only the simulator knows which objects are definitions. */
export const ownApi = z.custom<OwnApi>(
  (value) => typeof value === 'object' && value !== null && 'operations' in value,
  notAnApi,
)
const apis = z.lazy(() => z.array(z.union([text(1), ownApi], { error: notAnApi })))

/** The keys that the options of a simulator and a config file share. */
export const optionsSchema = forEachSettings((settings) => z.strictObject(optionsShape(settings)))

/** An example with the first of some keys. */
function exampleOf(keys: ApiSettings['quirks']): object {
  const [first] = Object.entries(keys)
  if (!first) return {}
  const { examples } = { ...z.globalRegistry.get(first[1]) } as { readonly examples?: readonly unknown[] }
  return { [first[0]]: examples?.[0] }
}

/** @param settings those of APIs. */
export function optionsShape<Settings extends ApiSettings>(settings: Settings) {
  return {
    seed: flag(mayDefault(seedSchema, 'Set the random seed, a number or a text.', optionDefaults.seed, 7)),
    apis: may(
      apis,
      'Further APIs: the names of shipped ones, such as `replicate`, or files that define one by `greenroom/api`, relative to this file. A scenario in YAML or JSON names shipped ones only. Experimental.',
      ['replicate', './my-vendor.ts'],
    ),
    keys: may(z.array(key), 'The valid API keys. Default: every key that starts with `sk-`.', [
      'sk-mine',
      { key: 'sk-second', balance: 5 },
    ]),
    strictKeys: may(
      z.boolean(),
      'Whether keys of namespaces (`sk-sim-NAME`) are refused if `keys` is set. Default false.',
      true,
    ),
    idempotencyKeys: may(
      z.union([
        z.boolean(),
        z.strictObject({ header: must(text(1, 100), 'The header with the key.', 'Idempotency-Key') }),
        z.strictObject({ field: must(fieldPath, 'The field of the body with the key.', 'client_token') }),
      ]),
      'Whether a repeated submission with the same key gets the first response, and makes no second task; with another body, it gets 409. The gateway knows no such keys. Default false.',
      true,
      { header: 'Idempotency-Key' },
      { field: 'client_token' },
    ),
    webhooks,
    profile: flag(may(profile, 'Take a named set of quirks. Default `seed`.', 'upstream')),
    quirks: may(
      quirksSchema({ settings }),
      'Single quirks, on top of the profile.',
      exampleOf(settings.quirks),
    ),
    timing: flag(
      may(
        timing,
        'Set how long tasks take, for all models or by pattern; the first match counts. Default `quick`.',
        'quick',
        {
          'draft-*': 'instant',
          '*': { queued: '2s', render: '12s' },
        },
      ),
    ),
    retention: may(
      retention,
      `What each namespace stores. Default of \`serve\`: ${optionDefaults.servedRetention.tasks} tasks, and ${optionDefaults.servedRetention.idle} without a request. Embedded simulators store everything.`,
      {
        tasks: 1_000,
        age: '24h',
      },
    ),
    resultExpiresAfter: may(
      duration,
      'How long the URL of a result works after the poll that returned it: later, a download gets 403 until the client polls again. Default: forever.',
      '1h',
    ),
    rules: may(z.array(ruleSchema), 'The rules in order of precedence; the first that may fire decides.', [
      { match: { op: such.submit }, on: 2, task: { outcome: 'failure' } },
    ]),
    throttles: may(z.array(throttleSchema), 'Limits on rate and concurrency. They apply before the rules.', [
      { match: { op: such.submit }, bucket: { capacity: 2, refill: '1/10s' } },
    ]),
    shard: flag(
      may(
        wholeNumber(0, 99),
        'Number this process behind a load balancer, from 0 to 99: ids and URLs contain the number. Default: it is the only one.',
        3,
      ),
    ),
    publicUrl: may(
      z
        .url({ protocol: /^https?$/, error: 'must be a URL such as https://gateway.example' })
        .check(z.refine((url) => !/[?#]/.test(url), 'must have no query and no fragment')),
      'Begin links in responses with this URL, by which clients reach the server.',
      'https://gateway.example',
    ),
    quality: flag(
      may(
        z.enum(['full', 'fast']),
        'Make `full` clips for people, or `fast` ones for tests. Default `full` on a port, `fast` when embedded.',
        'fast',
      ),
    ),
    audio: flag(
      may(
        audioOption,
        'Choose the sound of videos; `none` leaves the audio track out. Default `none`.',
        'ambience',
      ),
    ),
    caption: flag(
      may(z.boolean(), 'Print prompt, model, task and time code on `full` clips. Default true.', false),
    ),
    promptDirectives: may(
      z.boolean(),
      'Whether directives such as `[[stuck]]` in prompts take effect. Default true.',
      false,
    ),
    models: may(z.array(modelSettings({ settings })), 'The models. Default: every name is a model.', [
      { name: 'video-1', kind: 'video' },
    ]),
    ...(settings.options as Settings['options']),
    text: may(textSchema, 'How texts are generated, and how fast.', { mode: 'echo', timing: 'natural' }),
    prices: may(z.array(price), 'Prices in dollars; the first match counts, then the built-in ones.', [
      { models: 'video-*', perSecond: 0.08 },
    ]),
    discount: mayDefault(
      nonNegative(1_000),
      'The share of every price that the account pays.',
      optionDefaults.discount,
      0.8,
    ),
    identity: may(
      z.array(z.string()),
      'The body fields that do not matter when two requests are compared, such as a nonce.',
      ['nonce'],
    ),
    limits: may(limits, 'Limits on sizes and numbers, such as the largest body.', { bodyMegabytes: 32 }),
    controlOrigins: may(z.array(z.string()), 'Origins of web pages that may call the control API.', [
      'http://localhost:5173',
    ]),
    controlToken: may(
      z.string().check(z.refine(isTokenFit, 'must have at least 16 characters, without spaces')),
      'The token that the control API requires as `Authorization: Bearer TOKEN`, at least 16 characters. Prefer the variable GREENROOM_CONTROL_TOKEN.',
      'a-token-of-your-own',
    ),
  }
}

import * as z from 'zod/mini'
import {
  assumptions,
  clockModes,
  maxRate,
  isValidInstant,
  servedClockModes,
} from '../../engine/clock/clock-settings.ts'
import { namespaceName } from '../../engine/namespace.ts'
import { isTokenFit } from '../schema/token.ts'
import { profiles, type Profile } from '../../gateway/quirks.ts'
import { allowedHosts } from '../../media/received/fetch-allow.ts'
import { modelKinds } from '../../apis/models/catalog.ts'
import { drawing, video } from './config-schema-media.ts'
import { quirks, timing } from './config-schema-gateway.ts'
import { prices, rate, textSchema } from './config-schema-text.ts'
import { may, must, orField, readable, refusing } from '../schema/fields.ts'
import { throttleSchema } from './throttle-schema.ts'
import { ruleSchema } from './rule-schema.ts'
import { isSettableVariable } from '../schema/variable-name.ts'
import {
  duration,
  list,
  nonNegative,
  positive,
  positiveNumber,
  sizeText,
  text,
  wholeNumber,
} from '../schema/values.ts'

const instant = z.lazy(() =>
  z.union(
    [z.iso.datetime({ offset: true }), z.iso.date(), z.number()],
    'must be an ISO date such as "2030-01-01T00:00:00Z"',
  ),
)

const key = z.lazy(() =>
  z.union([
    text(1),
    z.strictObject({
      key: must(text(1), 'The key, as clients send it.', 'sk-second'),
      namespace: may(
        z.string().check(z.regex(namespaceName, 'must be 1 to 64 letters, digits, "-" or "_"')),
        'Whose time, tasks and exchanges it shares. Default: `default`.',
        'team',
      ),
      expires: may(instant, 'From when on it is refused, on the virtual clock.', '2031-01-01'),
      revoked: may(z.boolean(), 'Whether it is refused from the start.', true),
      models: may(list(z.string(), 1), 'The only models it may use; `*` stands for any text.', ['video-*']),
      balance: may(nonNegative(), 'How many dollars it may spend. Without it, any number.', 5),
    }),
  ]),
)

/** Where no clock can begin. */
function outOfTime(start: string | number): string | undefined {
  const instant = typeof start === 'number' ? start : Date.parse(start)
  return isValidInstant(instant) ? undefined : 'must lie in the years from 1970 to 9999'
}

const servedClockMode = z.enum(servedClockModes, {
  error: `must be ${servedClockModes.join(', ')}; host works only in the process of the clients`,
})

/** How time moves: a mode, or in detail. */
function clockFor<Mode extends z.ZodMiniType>(clockMode: Mode) {
  const detail = z
    .strictObject({
      mode: may(
        clockMode,
        "`real` keeps the host's pace, `scaled` a multiple of it, `manual` moves when told, `auto` whenever nothing else can happen.",
        'auto',
      ),
      rate: may(
        positiveNumber(maxRate),
        "How many virtual seconds pass in one of the host's, in mode `scaled`.",
        60,
      ),
      start: may(
        instant.check(refusing(outOfTime)),
        'The first instant: an ISO date, or milliseconds since 1970.',
        '2030-01-01T00:00:00Z',
      ),
      pollStep: may(
        duration,
        'In mode `auto`, how long a client is taken to wait between two looks at a task. Default 5s.',
        '5s',
      ),
      assume: may(
        z.array(z.enum(assumptions)),
        'In mode `auto`, what is taken for granted of clients that never sleep on the clock. Default `[poll]`.',
        ['poll', 'retry-after'],
      ),
      participants: may(
        positive(1_000),
        'In mode `auto`, how many clients share the clock: time moves when all of them are parked.',
        3,
      ),
      limit: may(duration, 'In mode `auto`, how far time may move by itself. Default 24h.', '24h'),
    })
    .check(({ value: { mode, rate }, issues }) => {
      if (rate === undefined || mode === undefined || mode === 'scaled') return
      const message = `a rate goes with mode scaled, not with ${mode}. Leave one out`
      issues.push({ code: 'custom', path: ['rate'], message, input: rate })
    })
  return orField(clockMode, detail)
}

export const clockSchema = z.lazy(() => clockFor(servedClockMode))
/** Of a simulator in the process of its clients, which can follow their Date. */
export const embeddedClockSchema = z.lazy(() => clockFor(z.enum(clockModes)))

export const seedSchema = z.union([text(1), z.number()])

const models = z.lazy(() =>
  z.array(
    z.strictObject({
      name: must(text(1), 'What requests call it.', 'video-1'),
      kind: may(z.enum(modelKinds), 'What it makes. Default: whatever it is asked for.', 'video'),
      image: may(z.boolean(), 'Whether it takes pictures. Default true.', false),
      seconds: may(list(positive(), 1), 'The only lengths of video it makes.', [5, 10]),
      sizes: may(list(sizeText, 1), 'The only sizes it makes.', ['1280x720', '720x1280']),
    }),
  ),
)

const limits = z.lazy(() =>
  z.strictObject({
    bodyMegabytes: may(positiveNumber(), 'The largest body of a request. Default 32.', 32),
    bodiesMegabytes: may(
      positiveNumber(),
      'How much of the bodies of all requests may be in memory at a time. Default 512.',
      512,
    ),
    promptCharacters: may(positive(), 'The longest prompt. Default 32000.', 32_000),
    messages: may(positive(), 'How many messages a conversation may have. Default 2000.', 2_000),
    textCharacters: may(
      positive(),
      'How many characters the texts of one text request may have together. Default 4000000.',
      4_000_000,
    ),
    rate: may(rate(duration), 'How many text requests each key may make in a time. Without it, any number.', {
      requests: 60,
      per: '1m',
    }),
    imageMegabytes: may(positiveNumber(), 'The largest picture, decoded. Default 20.', 20),
    journalEntries: may(positive(), 'How many exchanges each namespace remembers. Default 1000.', 1_000),
    namespaces: may(positive(), 'How many namespaces there may be. Default 10000.', 10_000),
  }),
)

const retention = z.lazy(() =>
  z.strictObject({
    tasks: may(positive(), 'How many tasks; the oldest go first.', 1_000),
    age: may(duration, 'How long after their submission, on the virtual clock.', '24h'),
    idle: may(
      duration,
      'After how long without a request, in real time, a namespace other than `default` is forgotten.',
      '24h',
    ),
  }),
)

const hostNames = z.array(z.string().check(readable((name: string) => void allowedHosts([name]))))

const fetchImages = z.lazy(() =>
  z.union([
    z.boolean(),
    hostNames,
    z.strictObject({
      allow: must(hostNames, 'Hosts and addresses that may be asked although they are private.', [
        '127.0.0.1',
      ]),
    }),
  ]),
)

const variable = z.lazy(() =>
  z
    .string()
    .check(z.regex(/^[A-Za-z_]\w*$/, 'must be a name of a variable'))
    .check(
      z.refine(isSettableVariable, {
        error: ({ input }) =>
          'a file may not set this variable, because it could change which code or program runs. Use a name that ends in ' +
          '_URL, _KEY, _TOKEN or the like, or that begins with MY_. Otherwise remove it from the file and ' +
          `start run with --env ${String(input)}=VALUE`,
      }),
    ),
)

/** The config file, key by key as `SimulatorOptions` and `ServerOptions` describe them. */
export const configSchema = z.lazy(() =>
  z.strictObject({
    name: may(z.string(), 'What the config is called.', 'The second task fails'),
    description: may(z.string(), 'What it is for.', 'A client must show the reason.'),
    port: may(wholeNumber(0, 65_535), 'The port of `serve`; 0 takes a free one. Default 4646.', 4646),
    host: may(z.string(), 'The address to listen on. Default 127.0.0.1.', '127.0.0.1'),
    seed: may(seedSchema, 'The number or text that all chance comes from. Default 1.', 7),
    clock: may(clockSchema, 'How time moves: a mode alone, or in detail.', 'auto', {
      mode: 'scaled',
      rate: 60,
    }),
    keys: may(z.array(key), 'The keys that work, instead of every key that starts with `sk-`.', [
      'sk-mine',
      { key: 'sk-second', balance: 5 },
    ]),
    strictKeys: may(
      z.boolean(),
      'Whether keys of namespaces (`sk-sim-NAME`) are refused where keys are configured.',
      true,
    ),
    profile: may(
      z.enum(Object.keys(profiles) as Profile[]),
      'A named set of quirks. Default `seed`.',
      'upstream',
    ),
    quirks: may(quirks, 'Where gateways differ, one by one.', { contentRange: 'off' }),
    timing: may(
      timing,
      'How long tasks take, for all models or by pattern; the first that fits counts.',
      'quick',
      {
        'draft-*': 'instant',
        '*': { queued: '2s', render: '12s' },
      },
    ),
    retention: may(
      retention,
      'How much each namespace keeps. Default of `serve`: 100000 tasks, and 24h without a request; else everything.',
      {
        tasks: 1_000,
        age: '24h',
      },
    ),
    fetchImages: may(
      fetchImages,
      'Whether pictures that requests name by address are fetched: from public addresses, and from those allowed.',
      false,
      { allow: ['127.0.0.1'] },
    ),
    rules: may(z.array(ruleSchema), 'What is scripted, in order; the first rule that may fire decides.', [
      { match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure' } },
    ]),
    throttles: may(
      z.array(throttleSchema),
      'What the gateway gives only so much of: the `throttles` of a scenario. Asked before the rules.',
      [{ match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }],
    ),
    shard: may(
      wholeNumber(0, 99),
      'Which of several processes behind a balancer this is: ids of tasks carry it.',
      3,
    ),
    publicUrl: may(
      z.url({ protocol: /^https?$/ }),
      'What links begin with, when clients reach the server by another address.',
      'https://gateway.example',
    ),
    ffmpeg: may(text(1), 'The encoder: `wasm`, or a path beside the file.', 'wasm'),
    cacheDir: may(
      z.union([text(1), z.literal(false)]),
      'Where finished clips are kept; false keeps them in memory only.',
      '.greenroom',
      false,
    ),
    state: may(
      text(1),
      'The folder in which tasks, time and counts are kept, and from which `serve` goes on; beside the file.',
      '.greenroom-state',
    ),
    stateSync: may(
      z.boolean(),
      'Whether answers wait until the disk has what they promise, so that it outlives a loss of power. Default false.',
      true,
    ),
    quality: may(z.enum(['full', 'fast']), '`full` clips are for people, `fast` ones for tests.', 'fast'),
    caption: may(
      z.boolean(),
      'Whether `full` clips carry prompt, model, task and time code. Default true.',
      false,
    ),
    promptDirectives: may(
      z.boolean(),
      'Whether directives such as `[[stuck]]` in a prompt are obeyed. Default true.',
      false,
    ),
    models: may(models, 'The models there are, instead of every name.', [{ name: 'video-1', kind: 'video' }]),
    video: may(video, 'What videos may be.', { seconds: { default: 5, max: 60 } }),
    drawing: may(drawing, 'How the drawing channel behaves.', { queue: { running: 3, waiting: 10 } }),
    text: may(textSchema, 'How texts are answered.', { mode: 'echo', timing: 'natural' }),
    nativeKeyHeaders: may(
      z.array(z.string().check(z.regex(/^[a-z0-9-]+$/, 'must be a header in lower case'))),
      'Headers that may carry the key on native routes; the first that is there counts.',
      ['x-goog-api-key'],
    ),
    prices: may(
      prices,
      'What models cost, in dollars; the first that fits counts, and the usual ones come behind.',
      [{ models: 'video-*', perSecond: 0.08 }],
    ),
    discount: may(nonNegative(), 'The share of every price that is paid. Default 1.', 0.8),
    identity: may(
      orField(
        z.array(z.string()),
        z.strictObject({
          ignore: may(z.array(z.string()), 'Fields of bodies that mean nothing, such as a nonce.', ['nonce']),
        }),
      ),
      'What makes two requests the same: the fields to ignore.',
      ['nonce'],
      { ignore: ['nonce'] },
    ),
    limits: may(limits, 'How large and how many things may be.', { bodyMegabytes: 32 }),
    controlOrigins: may(z.array(z.string()), 'Pages that may call the control plane.', [
      'http://localhost:5173',
    ]),
    controlToken: may(
      z.string().check(z.refine(isTokenFit, 'must have at least 16 letters, digits or signs, and no spaces')),
      'What calls of the control plane must show, as `Authorization: Bearer TOKEN`. Better given as GREENROOM_CONTROL_TOKEN.',
      'a-token-of-your-own',
    ),
    env: may(
      z.record(variable, z.string()),
      'What `run` sets for its command beside the usual; `${url}` and `${key}` stand for those of the server. Names are those of an application, such as `*_URL`, `*_KEY`, `*_TOKEN` and `MY_*`.',
      { MY_GATEWAY: '${url}/v1' },
    ),
    quiet: may(z.boolean(), 'Whether `serve` prints only the address.', true),
    json: may(z.boolean(), 'Whether `serve` prints what the banner says as one line of JSON.', true),
  }),
)

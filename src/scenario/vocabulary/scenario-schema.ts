import * as z from 'zod/mini'
import type { Flow } from './types.ts'
import { configSchema } from './config-schema.ts'
import { clockSchema, seedSchema } from './options-schema.ts'
import { expectSchema } from './expect-schema.ts'
import { optionDefaults } from './defaults.ts'
import { may, mayDefault, must, named } from '../schema/fields.ts'
import { apiName, forEachSettings, such } from '../schema/known-names.ts'
import { throttleSchema } from './throttle-schema.ts'
import { maxRules, ruleSchema } from './rule-schema.ts'
import { duration, list, operationsSchema, positive, text, wholeNumber } from '../schema/values.ts'

/** The steps of the reference client, by the API that it calls. */
export const flow = apiName<Flow>('flows')

/** The check of a download: none, its announced length, or length and entity tag. */
export const verification = z.enum(['none', 'length', 'etag'])

export const driveSchema = forEachSettings(({ steps }) =>
  named(
    'driveStep',
    z.strictObject({
      flow: must(
        flow,
        'The kind of task or text, and the API that creates it. The name of a definition stands for its jobs.',
        'video',
      ),
      model: may(
        text(1),
        'The model. Default: `video-1` for videos, `sim-text-1` for texts.',
        'video-fast-1',
      ),
      prompt: may(
        z.string(),
        `The prompt. Default \`${optionDefaults.drive.prompt}\`. With several tasks, the second prompt ends with \`, take 2\`, and so on.`,
        optionDefaults.drive.prompt,
      ),
      n: mayDefault(positive(1_000), 'The number of tasks at the same time.', optionDefaults.drive.n, 3),
      submitTogether: may(
        z.boolean(),
        'Whether the client submits all tasks at the same moment, instead of waiting for each response.',
        true,
      ),
      pollEvery: mayDefault(
        duration,
        'The wait between two polls of a task.',
        optionDefaults.drive.pollEvery,
        '3s',
      ),
      giveUpAfter: mayDefault(
        duration,
        'The age at which the client gives up a task.',
        optionDefaults.drive.giveUpAfter,
        '15m',
      ),
      retries: mayDefault(
        wholeNumber(0, 100),
        'The maximum number of retries of a request.',
        optionDefaults.drive.retries,
        2,
      ),
      verify: may(
        verification,
        `How the client checks downloads: not at all, by length, or by length and entity tag. Default \`${optionDefaults.drive.verify}\`.`,
        'length',
      ),
      download: mayDefault(
        z.boolean(),
        'Whether the client downloads finished tasks.',
        optionDefaults.drive.download,
        false,
      ),
      ...steps,
    }),
    'A step of the reference client. Steps run one after the other, the tasks of one step at the same time.',
    { flow: 'video', prompt: 'a kite', n: 2 },
  ),
)

/** A request at which the client crashes. */
const crash = z.lazy(() =>
  named(
    'crash',
    z.strictObject({
      op: must(operationsSchema, 'The operation of the request; `*` matches several.', such.submit),
      nth: must(
        positive(),
        'The number of the request among those of the operation, from 1. All processes count together.',
        2,
      ),
      accepted: may(
        z.boolean(),
        'Whether the gateway accepts the request first, so that only the response is lost. By default, the request is lost, too.',
        true,
      ),
    }),
    'The process of the client, with those that it has started, is killed when a request arrives, and the same command is started again.',
    { op: such.poll, nth: 1 },
  ),
)

/** Keys of the config file that belong elsewhere in a scenario, or nowhere. */
const elsewhere = {
  seed: true,
  clock: true,
  rules: true,
  throttles: true,
  log: true,
} as const

export const scenarioConfig = forEachSettings((settings) =>
  named(
    'config',
    z.omit(configSchema({ settings }), elsewhere),
    'The behaviour of the gateway, except for rules: the keys of the config file.',
    { keys: ['sk-mine'] },
  ),
)

const scenarioClock = named('clock', clockSchema, 'How time moves: only a mode, or a mapping.', 'auto', {
  mode: 'scaled',
  rate: 60,
})

/** A scenario file, key by key. The loader, editors and docs use it. */
export const scenarioSchema = forEachSettings((settings) =>
  z
    .strictObject({
      version: must(z.literal(1), 'The version of the format.', 1),
      name: may(text(1, 200), 'The name in reports.', 'The second task fails'),
      description: may(
        z.string(),
        'What the scenario tests, and what a good client does.',
        'A client must show the reason.',
      ),
      tags: may(z.array(text(1)), 'Words to select scenarios by.', ['smoke']),
      extends: may(
        list(text(1), 0, 50),
        'Paths of scenario files to extend, lowest precedence first. Their rules and throttles follow those of this file.',
        ['base.yaml'],
      ),
      requires: may(
        z.array(z.enum(['wire'])),
        'What the run needs. `wire` is a socket, which makes every fault exact.',
        ['wire'],
      ),
      seed: mayDefault(seedSchema, 'The random seed, a number or a text.', optionDefaults.seed, 7),
      clock: may(scenarioClock, 'How time moves. Default: mode `auto`.', 'auto', {
        mode: 'scaled',
        rate: 60,
      }),
      config: may(
        z.lazy(() => scenarioConfig({ settings })),
        'The behaviour of the gateway, except for rules: the keys of the config file.',
        {
          keys: ['sk-mine'],
        },
      ),
      throttles: may(
        list(throttleSchema, 0, maxRules),
        'Limits on rate and concurrency. They apply before the rules.',
        [{ match: { op: such.submit }, bucket: { capacity: 2, refill: '1/10s' } }],
      ),
      rules: may(
        list(ruleSchema, 0, maxRules),
        'The rules in order of precedence. Each rule counts every request that it matches; the first that may fire decides.',
        [{ match: { op: such.poll }, attempts: [503, 'reset', 'ok'] }],
      ),
      crash: may(
        list(crash, 1, 20),
        'Requests at which the process of the client is killed. `greenroom run` starts its command again each time, and judges all processes as one run.',
        [
          { op: such.poll, nth: 1 },
          { op: such.submit, nth: 2, accepted: true },
        ],
      ),
      drive: may(
        list(driveSchema({ settings }), 0, 100),
        'The steps of the reference client, which tries the scenario without your application.',
        [{ flow: 'video', prompt: 'a kite' }],
      ),
      expect: may(expectSchema, 'The expectations of the run.', {
        tasks: [{ status: such.success }],
      }),
    })
    .check(
      z.meta({
        title: 'A scenario of greenroom',
        description: 'Responses, delays and failures, and the behaviour that they require of a client.',
      }),
    ),
)

import * as z from 'zod/mini'
import { clockSchema, configSchema, seedSchema } from './config-schema.ts'
import { expectSchema } from './expect-schema.ts'
import { may, must, named } from '../schema/fields.ts'
import { throttleSchema } from './throttle-schema.ts'
import { ruleSchema } from './rule-schema.ts'
import { maxRules } from '../rules/rules.ts'
import { flows, verifications } from '../drive.ts'
import { duration, list, positive, sizeText, text, wholeNumber } from '../schema/values.ts'

export const driveSchema = z.lazy(() =>
  named(
    'driveStep',
    z.strictObject({
      flow: must(z.enum(flows), 'Which surface it speaks to, and how.', 'video'),
      model: may(text(1), 'The model. Default: one of the surface.', 'video-fast-1'),
      prompt: may(
        z.string(),
        'The prompt. Of several, all but the first say which they are: `…, take 2`.',
        'a paper boat in the rain',
      ),
      n: may(positive(1_000), 'How many times, at the same time. Default 1.', 3),
      submitTogether: may(
        z.boolean(),
        'Whether all are submitted at the same moment; otherwise each when the one before was answered.',
        true,
      ),
      pollEvery: may(duration, 'How long it waits between two looks at a task. Default 5s.', '3s'),
      giveUpAfter: may(
        duration,
        'After how long it gives a task up, since its submission. Default 10m.',
        '15m',
      ),
      retries: may(
        wholeNumber(0, 100),
        'How often it asks again for an answer that was refused for now, lost or broken. Default 5.',
        2,
      ),
      verify: may(
        z.enum(verifications),
        'How it checks downloads: not at all, by their length, or by that and the entity tag. Default `etag`.',
        'length',
      ),
      download: may(z.boolean(), 'Whether finished tasks are downloaded. Default true.', false),
      seconds: may(positive(), 'Of videos: the length.', 4),
      size: may(sizeText, 'Of videos: the size.', '640x360'),
      actions: may(
        list(text(1), 1, 100),
        'Of drawings, one after the other, each on the latest result that has such a button: upscale 2, vary 3, zoom 2, pan left, repaint, animate, or the words on a button.',
        ['upscale 2', 'repaint'],
      ),
    }),
    'What the reference client does. Steps follow one another; the tasks of one step run at the same time.',
    { flow: 'video', prompt: 'a kite', n: 2 },
  ),
)

/** Keys of the config file that a scenario says itself, or that concern no scenario. */
const elsewhere = {
  name: true,
  description: true,
  seed: true,
  clock: true,
  rules: true,
  throttles: true,
  quiet: true,
  json: true,
} as const

const scenarioConfig = z.lazy(() =>
  named(
    'config',
    z.omit(configSchema._zod.innerType, elsewhere),
    'How the gateway behaves apart from rules: the keys of the config file.',
    { keys: ['sk-mine'] },
  ),
)

const scenarioClock = named('clock', clockSchema, 'How time moves: a mode alone, or in detail.', 'auto', {
  mode: 'scaled',
  rate: 60,
})

/** A scenario file, key by key: what the loader checks, editors show and the docs list. */
export const scenarioSchema = z.lazy(() =>
  z
    .strictObject({
      version: must(z.literal(1), 'The version of the format.', 1),
      name: may(text(1, 200), 'What the scenario is called in reports.', 'The second task fails'),
      description: may(
        z.string(),
        'What it shows, and what a good client does.',
        'A client must show the reason.',
      ),
      tags: may(z.array(text(1)), 'Words to pick scenarios by.', ['smoke']),
      extends: may(
        list(text(1), 0, 50),
        'Other scenario files, beside this one, the lowest precedence first. Their rules and throttles come behind.',
        ['base.yaml'],
      ),
      requires: may(
        z.array(z.enum(['wire'])),
        'What the run needs. `wire`: a socket, so that no fault is only approximated.',
        ['wire'],
      ),
      seed: may(seedSchema, 'The number or text that all chance comes from. Default 1.', 7),
      clock: may(scenarioClock, 'How time moves. Default: mode `auto`.', 'auto', {
        mode: 'scaled',
        rate: 60,
      }),
      config: may(scenarioConfig, 'How the gateway behaves apart from rules: the keys of the config file.', {
        keys: ['sk-mine'],
      }),
      throttles: may(
        list(throttleSchema, 0, maxRules),
        'How much is let through: buckets, concurrency, workers, outages.',
        [{ match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }],
      ),
      rules: may(
        list(ruleSchema, 0, maxRules),
        'The script, in order. Each rule counts every request it concerns; the first that may fire decides.',
        [{ match: { op: 'video.poll' }, attempts: [503, 'reset', 'ok'] }],
      ),
      drive: may(
        list(driveSchema, 0, 100),
        'What the reference client does, so that the file can be tried before there is an application.',
        [{ flow: 'video', prompt: 'a kite' }],
      ),
      expect: may(expectSchema, 'What must be true of the run for it to pass.', {
        tasks: [{ status: 'SUCCESS' }],
      }),
    })
    .check(
      z.meta({
        title: 'A scenario of greenroom',
        description: 'Scripted answers, delays and failures, and what a good client makes of them.',
      }),
    ),
)

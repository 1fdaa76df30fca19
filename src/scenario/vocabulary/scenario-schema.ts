import { z } from 'zod'
import { clockSchema, configSchema, seedSchema } from './config-schema.ts'
import { driveSchema } from './drive-schema.ts'
import { expectSchema } from './expect-schema.ts'
import { may, must, named } from './fields.ts'
import { limitSchema } from './limit-schema.ts'
import { ruleSchema } from './rule-schema.ts'
import { mostRules } from '../rules/rules.ts'

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

const scenarioConfig = named(
  'config',
  configSchema.omit(elsewhere),
  'How the gateway behaves apart from rules: the keys of the config file.',
  { keys: ['sk-mine'] },
)

const scenarioClock = named('clock', clockSchema, 'How time moves: a mode alone, or in detail.', 'auto', {
  mode: 'scaled',
  rate: 60,
})

/** A scenario file, key by key: what the loader checks, editors show and the docs list. */
export const scenarioSchema = z
  .strictObject({
    version: must(z.literal(1), 'The version of the format.', 1),
    name: may(z.string().min(1).max(200), 'What the scenario is called in reports.', 'The second task fails'),
    description: may(
      z.string(),
      'What it shows, and what a good client does.',
      'A client must show the reason.',
    ),
    tags: may(z.array(z.string().min(1)), 'Words to pick scenarios by.', ['smoke']),
    extends: may(
      z.array(z.string().min(1)).max(50),
      'Other scenario files, beside this one, the lowest precedence first. Their rules and limits come behind.',
      ['base.yaml'],
    ),
    requires: may(
      z.array(z.enum(['wire'])),
      'What the run needs. `wire`: a socket, so that no fault is only approximated.',
      ['wire'],
    ),
    seed: may(seedSchema, 'The number or text that all chance comes from. Default 1.', 7),
    clock: may(scenarioClock, 'How time moves. Default: mode `auto`.', 'auto', { mode: 'scaled', rate: 60 }),
    config: may(scenarioConfig, 'How the gateway behaves apart from rules: the keys of the config file.', {
      keys: ['sk-mine'],
    }),
    limits: may(
      z.array(limitSchema).max(mostRules),
      'How much is let through: buckets, concurrency, workers, outages.',
      [{ match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }],
    ),
    rules: may(
      z.array(ruleSchema).max(mostRules),
      'The script, in order. Each rule counts every request it concerns; the first that may fire decides.',
      [{ match: { op: 'video.poll' }, attempts: [503, 'reset', 'ok'] }],
    ),
    drive: may(
      z.array(driveSchema).max(100),
      'What the reference client does, so that the file can be tried before there is an application.',
      [{ flow: 'video', prompt: 'a kite' }],
    ),
    expect: may(expectSchema, 'What must be true of the run for it to pass.', {
      tasks: [{ status: 'SUCCESS' }],
    }),
  })
  .meta({
    title: 'A scenario of greenroom',
    description: 'Scripted answers, delays and failures, and what a good client makes of them.',
  })

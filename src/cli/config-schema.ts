import { z } from 'zod'
import { assumptions, servedClockModes } from '../engine/clock-settings.ts'
import { checkDuration } from '../engine/distribution.ts'
import { parseDuration } from '../engine/duration.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { namespaceName } from '../engine/namespace.ts'
import { operations } from '../engine/operation.ts'
import { profiles, quirkValues, type Profile } from '../gateway/quirks.ts'
import { allowedHosts } from '../media/fetch-allow.ts'
import { fitsGlob } from '../engine/glob.ts'
import { modelKinds } from '../surfaces/models/catalog.ts'
import { paces } from '../surfaces/video/pace.ts'
import { prices, rate, textSchema } from './config-schema-text.ts'

/** Checks a value by a function that throws a readable error. */
function readable<Value>(read: (value: Value) => void): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    try {
      read(value)
    } catch (error) {
      issues.push({ code: 'custom', message: (error as Error).message, input: value })
    }
  }
}

/** A duration such as `5s`, or milliseconds. */
const duration = z.union([z.string(), z.number()]).check(readable(parseDuration))
const durationOrForever = z.union([z.literal('forever'), z.string(), z.number()])

const bounds = { min: duration.optional(), max: duration.optional() }

const durationSpec = z.union([
  z.string().check(readable<string>(checkDuration)),
  z.number().check(readable<number>(checkDuration)),
  z.strictObject({ uniform: z.tuple([duration, duration]) }),
  z.strictObject({ normal: z.strictObject({ mean: duration, sd: duration, ...bounds }) }),
  z.strictObject({ lognormal: z.strictObject({ p50: duration, p95: duration, ...bounds }) }),
  z.strictObject({
    choice: z.array(z.strictObject({ value: durationOrForever, weight: z.number().optional() })),
  }),
])

const state = z.strictObject({
  after: durationSpec.optional(),
  on: z.string().optional(),
  timeout: durationSpec.optional(),
  expires: z.string().optional(),
  expiryReason: z.string().optional(),
  to: z.union([z.string(), z.record(z.string(), z.number().nonnegative())]).optional(),
  progress: z
    .union([z.number(), z.strictObject({ from: z.number(), to: z.number() }), z.array(z.number()).min(1)])
    .optional(),
  final: z.literal(true).optional(),
})

const wholeNumber = z.number().int()
const positive = wholeNumber.positive()
const share = z.number().min(0).max(1)

/** An operation, or a pattern that means at least one. */
const operation = z.string().check(({ value, issues }) => {
  if (operations.some((known) => fitsGlob(value, known))) return
  const message = `it means no operation.${didYouMean(value, operations)} Known: ${operations.join(', ')}; * stands for any text`
  issues.push({ code: 'custom', message, input: value })
})

const rule = z.strictObject({
  id: z.string().optional(),
  match: z.strictObject({ op: operation, model: z.string().optional(), prompt: z.string().optional() }),
  on: z.union([positive, z.array(positive)]).optional(),
  times: positive.optional(),
  chance: share.optional(),
  per: z.enum(['namespace', 'task']).optional(),
  delay: durationSpec.optional(),
  task: z
    .strictObject({
      queued: durationSpec.optional(),
      render: durationSpec.optional(),
      outcome: z.enum(['success', 'failure']).optional(),
      failAt: share.optional(),
      reason: z.string().optional(),
    })
    .optional(),
})

const instant = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date(), z.number()],
  'must be an ISO date such as "2030-01-01T00:00:00Z"',
)

const key = z.union([
  z.string().min(1),
  z.strictObject({
    key: z.string().min(1),
    namespace: z.string().regex(namespaceName, 'must be 1 to 64 letters, digits, "-" or "_"').optional(),
    expires: instant.optional(),
    revoked: z.boolean().optional(),
    models: z.array(z.string()).min(1).optional(),
    balance: z.number().nonnegative().optional(),
  }),
])

const paceNames = Object.keys(paces) as (keyof typeof paces)[]
const paceOption = z.union([
  z.enum(paceNames),
  z.strictObject({ queued: durationSpec.optional(), render: durationSpec.optional() }),
])

const pacesByModel = z.record(z.string(), paceOption)

/** A pace, or paces by model: which of the two is told by its keys, so that a mistake is found in the right one. */
const pace = z.unknown().check(({ value, issues }) => {
  const isObject = typeof value === 'object' && value !== null
  const isOne = !isObject || Object.keys(value).every((name) => name === 'queued' || name === 'render')
  const { error } = (isOne ? paceOption : pacesByModel).safeParse(value)
  for (const issue of error?.issues ?? []) issues.push({ ...issue, input: value } as z.core.$ZodRawIssue)
})

const lifecycle = z.strictObject({
  initial: z.string(),
  states: z.record(z.string(), state),
  unsafe: z.boolean().optional(),
})

const quirks = z.strictObject({
  videoStatusStyle: z.enum(quirkValues.videoStatusStyle).optional(),
  contentDelivery: z.enum(quirkValues.contentDelivery).optional(),
  contentRange: z.enum(quirkValues.contentRange).optional(),
  contentAuth: z.enum(quirkValues.contentAuth).optional(),
  drawingContentType: z.enum(quirkValues.drawingContentType).optional(),
  unknownButtons: z.enum(quirkValues.unknownButtons).optional(),
  nativeErrorStyle: z.enum(quirkValues.nativeErrorStyle).optional(),
  nativeModelStyle: z.enum(quirkValues.nativeModelStyle).optional(),
  nativeStreamWithoutAlt: z.enum(quirkValues.nativeStreamWithoutAlt).optional(),
  sseNewline: z.enum(quirkValues.sseNewline).optional(),
  clientErrorStatus: z.literal([...quirkValues.clientErrorStatus]).optional(),
  usageByDefault: z.enum(quirkValues.usageByDefault).optional(),
  modelsUnknownStatus: z.literal([...quirkValues.modelsUnknownStatus]).optional(),
})

/** The config file, key by key as `SimulatorOptions` and `ServerOptions` describe them. */
export const configSchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  port: wholeNumber.min(0).max(65_535).optional(),
  host: z.string().optional(),
  seed: z.union([z.string(), z.number()]).optional(),
  clock: z
    .strictObject({
      mode: z
        .enum(servedClockModes, {
          error: `must be ${servedClockModes.join(', ')}; host works only in the process of the clients`,
        })
        .optional(),
      rate: z.number().positive().optional(),
      start: instant.optional(),
      pollStep: duration.optional(),
      assume: z.array(z.enum(assumptions)).optional(),
      participants: positive.max(1_000).optional(),
      limit: duration.optional(),
    })
    .optional(),
  keys: z.array(key).optional(),
  strictKeys: z.boolean().optional(),
  profile: z.enum(Object.keys(profiles) as Profile[]).optional(),
  quirks: quirks.optional(),
  pace: pace.optional(),
  retention: z.strictObject({ tasks: positive.optional(), age: duration.optional() }).optional(),
  fetchImages: z
    .union([
      z.boolean(),
      z.strictObject({
        allow: z.array(z.string().check(readable((name: string) => void allowedHosts([name])))),
      }),
    ])
    .optional(),
  rules: z.array(rule).optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  ffmpeg: z.string().min(1).optional(),
  cacheDir: z.union([z.string().min(1), z.literal(false)]).optional(),
  quality: z.enum(['full', 'fast']).optional(),
  caption: z.boolean().optional(),
  magicPrompts: z.boolean().optional(),
  models: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        kind: z.enum(modelKinds).optional(),
        image: z.boolean().optional(),
        seconds: z.array(positive).min(1).optional(),
        sizes: z
          .array(z.string().regex(/^\d+x\d+$/, 'must be WIDTHxHEIGHT, such as 1280x720'))
          .min(1)
          .optional(),
      }),
    )
    .optional(),
  video: z
    .strictObject({
      seconds: z
        .strictObject({
          default: positive.optional(),
          min: positive.optional(),
          max: positive.max(3600).optional(),
        })
        .optional(),
      size: z
        .strictObject({
          default: z
            .string()
            .regex(/^\d+x\d+$/, 'must be WIDTHxHEIGHT, such as 1280x720')
            .optional(),
          min: wholeNumber.min(16).optional(),
          max: wholeNumber.max(4096).optional(),
        })
        .optional(),
      listAndDelete: z.boolean().optional(),
      framesPerSecond: z
        .strictObject({ full: positive.max(60).optional(), fast: positive.max(60).optional() })
        .optional(),
      lifecycle: lifecycle.optional(),
    })
    .optional(),
  drawing: z
    .strictObject({
      accountFilter: z.boolean().optional(),
      notifyHook: z.union([z.boolean(), z.strictObject({ allow: z.array(z.string().min(1)) })]).optional(),
      proxyCalls: z.boolean().optional(),
      bannedWords: z.array(z.string().min(1)).optional(),
      queue: z.strictObject({ running: positive, waiting: wholeNumber.min(0) }).optional(),
      lifecycle: lifecycle.optional(),
    })
    .optional(),
  text: textSchema(durationSpec).optional(),
  nativeKeyHeaders: z.array(z.string().regex(/^[a-z0-9-]+$/, 'must be a header in lower case')).optional(),
  prices: prices.optional(),
  discount: z.number().min(0).optional(),
  identity: z.strictObject({ ignore: z.array(z.string()).optional() }).optional(),
  limits: z
    .strictObject({
      bodyMegabytes: z.number().positive().optional(),
      promptCharacters: positive.optional(),
      messages: positive.optional(),
      rate: rate(duration).optional(),
      imageMegabytes: z.number().positive().optional(),
      journalEntries: positive.optional(),
      namespaces: positive.optional(),
    })
    .optional(),
  controlOrigins: z.array(z.string()).optional(),
  quiet: z.boolean().optional(),
  json: z.boolean().optional(),
})

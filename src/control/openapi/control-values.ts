import * as z from 'zod/mini'
import { anyObject, integer, optionalText } from '../../apis/operation-schema.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import type { KeyUsage } from '../../gateway/accounts/account.ts'
import type { ListedRule } from '../../scenario/rules/rule.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import type { Health, NamespaceSummary } from '../control.ts'
import type { InvariantState } from '../deps.ts'
import type { ExplainedEntry } from '../journal.ts'
import type { TaskSummary } from '../tasks.ts'

/** The fields of an object that has a type: none is missing, and there are no others. */
export type FieldsOf<Type> = Readonly<Record<keyof Type, z.ZodMiniType>>

export const instant = integer
/** A whole number of a query. */
const wholeNumber = 'must be a whole number'
export const count = z.coerce.number(wholeNumber).check(z.multipleOf(1, wholeNumber), z.gte(0, wholeNumber))
const momentForm = 'must be an ISO date or milliseconds since 1970'
export const moment = z.union(
  [z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), momentForm)), z.number()],
  momentForm,
)
export const instantOf = (at: string | number): number =>
  Math.round(typeof at === 'number' ? at : Date.parse(at))

export const task = named(
  'Task',
  z.object({
    id: z.string(),
    operation: must(z.string(), 'The operation that created it.', 'video.submit'),
    status: must(z.string(), 'The present status, as its API spells it.'),
    progress: must(integer, 'In percent.'),
    reason: must(z.string(), 'Why it failed; empty otherwise.'),
    submittedAt: must(instant, 'In milliseconds since 1970, as all times; 0 for the future.'),
    startedAt: instant,
    finishedAt: instant,
    pollCount: integer,
    request: anyObject,
    timeline: must(
      z.array(z.object({ status: z.string(), from: z.number(), reason: optionalText })),
      'Each status with the instant at which it begins, the future included.',
    ),
  } satisfies FieldsOf<TaskSummary>),
  'A task and its present state.',
)

export const health = named(
  'Health',
  z.partial(
    z.object({
      ready: z.literal(true),
      version: z.string(),
      node: z.string(),
      seed: z.string(),
      encoder: z.object({
        candidate: z.string(),
        verified: z.boolean(),
        version: optionalText,
        reason: optionalText,
      }),
      namespaces: integer,
    } satisfies FieldsOf<Health>),
    { version: true, node: true, seed: true, encoder: true, namespaces: true },
  ),
  'Versions, seed and encoder. Without the control token only `ready`.',
)

export const namespaceSummary = z.object({
  name: z.string(),
  tasks: integer,
  requests: integer,
  mode: z.string(),
  now: instant,
} satisfies FieldsOf<NamespaceSummary>)

export const hold = z.object({ id: z.string(), name: z.string(), expiresInMs: z.number() })

export const clock = named(
  'Clock',
  z.object({
    mode: z.enum(['real', 'scaled', 'manual', 'auto', 'host']),
    now: must(instant, 'Virtual time, in milliseconds since 1970.'),
    time: z.string(),
    wallTime: z.string(),
    rate: z.number(),
    pollStepMs: z.number(),
    assumesPollStep: z.boolean(),
    waiters: integer,
    nextWaiter: z.nullable(z.number()),
    nextEvent: z.nullable(z.number()),
    waiting: z.array(z.string()),
    holds: z.array(hold),
    participants: z.object({ expected: integer, parked: integer, names: z.array(z.string()) }),
    agents: z.array(z.string()),
    isExact: z.boolean(),
    limitLeftMs: z.number(),
    why: must(z.string(), 'How time moves, or why it is stopped.'),
    stuck: z.nullable(anyObject),
  } satisfies FieldsOf<ClockStatus>),
  'The state of a clock.',
)

export const entryFields = {
  number: integer,
  at: instant,
  wallAt: instant,
  transport: z.enum(['socket', 'msw', 'direct', 'hook']),
  operation: z.nullable(z.string()),
  method: z.string(),
  path: z.string(),
  namespace: z.string(),
  key: z.string(),
  keyHash: z.string(),
  requestId: z.string(),
  task: z.nullable(z.string()),
  status: integer,
  rules: z.array(z.string()),
  delayMs: z.number(),
  quota: integer,
  toolCalls: z.optional(z.array(z.string())),
  reportedStatus: z.nullable(z.string()),
  model: z.nullable(z.string()),
  prompt: z.nullable(z.string()),
  hint: z.nullable(z.string()),
  internalError: z.optional(z.string()),
  outcome: z.enum(['open', 'completed', 'aborted', 'failed']),
  bytes: integer,
  identity: z.string(),
  authorized: z.boolean(),
  parent: z.nullable(z.string()),
  final: z.boolean(),
  retryAfterMs: z.nullable(z.number()),
  assumed: z.boolean(),
  assumedMs: z.optional(z.number()),
  timing: z.string(),
  fault: z.nullable(z.string()),
  approximated: z.boolean(),
  content: z.nullable(z.enum(['complete', 'partial', 'altered'])),
  stream: z.nullable(z.object({ chunks: integer, ended: z.string() })),
  firstByteAt: z.nullable(z.number()),
  settledAt: z.nullable(z.number()),
  settledBefore: z.nullable(integer),
} satisfies FieldsOf<Omit<ExplainedEntry, 'reasons'>>

export const entry = named('JournalEntry', z.object(entryFields), 'A request and its response.')

export const explained = named(
  'ExplainedEntry',
  z.object({
    ...entryFields,
    reasons: z.array(z.object({ rule: z.string(), fired: z.boolean(), why: z.string() })),
  }),
  'A request and its response, with the reason of each rule.',
)

export const message = z.object({
  line: z.string(),
  headers: z.array(z.array(z.string())),
  body: z.string(),
  truncated: z.boolean(),
})

export const usage = named(
  'KeyUsage',
  z.object({
    key: z.string(),
    tasks: integer,
    seconds: z.number(),
    tokens: z.object({ input: z.number(), output: z.number() }),
    spent: must(z.number(), 'In dollars, as `reserved` and `balance`.'),
    reserved: z.number(),
    balance: z.nullable(z.number()),
  } satisfies FieldsOf<KeyUsage>),
  'What a key has used.',
)

export const rule = named(
  'ListedRule',
  z.object({
    layer: z.enum(['next', 'added', 'file']),
    id: z.string(),
    namespace: optionalText,
    eligible: integer,
    fired: integer,
    spent: z.boolean(),
    rule: anyObject,
  } satisfies FieldsOf<ListedRule>),
  'A rule, and how often it fired.',
)

export const invariant = named(
  'Invariant',
  z.looseObject({
    name: z.string(),
    means: z.string(),
    verdict: z.enum(['pass', 'fail', 'not-exercised', 'not-applicable']),
    exercised: integer,
    violations: integer,
    first: z.optional(z.object({ requests: z.array(integer), message: z.string() })),
    advice: optionalText,
    reason: optionalText,
  } satisfies FieldsOf<InvariantState>),
  'One rule of a good client, and whether it was broken.',
)

export const snapshot = named(
  'Snapshot',
  z.object({
    greenroom: z.literal('snapshot'),
    version: integer,
    made: z.string(),
    seed: z.string(),
    namespace: optionalText,
    state: z.array(z.array(z.unknown())),
  }),
  'The complete state. Send it back unchanged.',
)

export const event = named(
  'StreamData',
  z.looseObject({
    tasks: may(z.union([z.array(task), integer]), 'In `hello`, how many follow.'),
    entries: may(z.union([z.array(entry), integer]), 'In `hello`, how many follow.'),
    gone: z.optional(z.array(z.string())),
    rules: z.optional(z.array(rule)),
    usage: z.optional(z.array(usage)),
    verdict: z.optional(z.array(invariant)),
    clock: z.optional(clock),
  }),
  'The data of a message of the event stream: `hello`, `batch`, `ready` or `resumed`.',
)

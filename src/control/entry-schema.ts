// The form of an exchange in responses. The matchers read it without the rest of the control API.
import * as z from 'zod/mini'
import { once } from '../engine/once.ts'
import { roles } from '../engine/operations/facts.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { RuleReason } from '../scenario/rules/rule.ts'
import { named } from '../scenario/schema/fields.ts'
import { integer } from '../scenario/schema/json-values.ts'
import { instant, type FieldsOf } from './route.ts'

/** An exchange with the reason of each rule. */
export type ExplainedEntry = Omit<JournalEntry, 'reasons'> & { reasons: readonly RuleReason[] }

export const entryFields = once(
  () =>
    ({
      number: integer,
      at: instant,
      wallAt: instant,
      transport: z.enum(['socket', 'msw', 'direct', 'callback']),
      operation: z.nullable(z.string()),
      role: z.nullable(z.enum(roles)),
      kind: z.nullable(z.string()),
      method: z.string(),
      path: z.string(),
      namespace: z.string(),
      key: z.string(),
      keyHash: z.string(),
      requestId: z.string(),
      task: z.nullable(z.string()),
      idempotencyKey: z.optional(z.string()),
      status: integer,
      rules: z.array(z.string()),
      delayMs: z.number(),
      quota: integer,
      canCallTools: z.optional(z.literal(true)),
      toolCalls: z.optional(z.array(z.string())),
      others: z.optional(z.array(z.string())),
      sendsFile: z.optional(z.literal(true)),
      hidesReason: z.optional(z.literal(true)),
      bodyReports: z.optional(z.enum(['end', 'state', 'nothing'])),
      refusalStatus: z.optional(integer),
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
      place: z.optional(z.string()),
      timing: z.enum(['exact', 'virtual', 'wall', 'assumed']),
      fault: z.nullable(z.string()),
      approximated: z.boolean(),
      content: z.nullable(z.enum(['complete', 'partial', 'altered'])),
      stream: z.nullable(
        z.object({ chunks: integer, ended: z.enum(['finished', 'error', 'cut', 'aborted']) }),
      ),
      firstByteAt: z.nullable(z.number()),
      settledAt: z.nullable(z.number()),
      settledBefore: z.nullable(integer),
    }) satisfies FieldsOf<Omit<ExplainedEntry, 'reasons'>>,
)

export const entrySchema = once(() =>
  named('JournalEntry', z.object(entryFields()), 'A request and its response.'),
)

export const explainedSchema = once(() =>
  named(
    'ExplainedEntry',
    z.object({
      ...entryFields(),
      reasons: z.array(z.object({ rule: z.string(), fired: z.boolean(), why: z.string() })),
    }),
    'A request and its response, with the reason of each rule.',
  ),
)

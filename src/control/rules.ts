import { once } from '../engine/once.ts'
import { anyObject, integer, optionalText } from '../scenario/schema/json-values.ts'
import { controlPrefix } from '../gateway/request.ts'
import { type FieldsOf, ControlError, routesFor, type ControlRoute } from './route.ts'
import * as z from 'zod/mini'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import { readRule } from '../scenario/rules/check-rule.ts'
import type { ListedRule } from '../scenario/rules/rule.ts'
import { may, named as namedSchema } from '../scenario/schema/fields.ts'
import { such } from '../scenario/schema/known-names.ts'
import { ruleSchema } from '../scenario/vocabulary/rule-schema.ts'
import type { Rule } from '../scenario/vocabulary/types.ts'
import type { ControlCore } from './core.ts'

/** The rules, which can be added and removed at run time. */
export class RuleControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /** The rules, highest precedence first: all of them, or those of a namespace with their counts there. */
  list(namespace?: string): ListedRule[] {
    return this.#core.rules.list(namespace)
  }

  /**
   * Adds a rule for a namespace, or for all of them.
   * @throws {ControlError} 400 for an invalid rule, with all its mistakes.
   */
  add(value: unknown, namespace?: string): { id: string } {
    const { rules, operations } = this.#core
    return { id: rules.add(readPostedRule(value, operations), namespace) }
  }

  /** Like `add`, but for the next request only. */
  next(value: unknown, namespace?: string): { id: string } {
    const { rules, operations } = this.#core
    return { id: rules.next(readPostedRule(value, operations), namespace) }
  }

  /**
   * Removes the rule with an id, of any or of one namespace.
   * @throws {ControlError} 404 for an unknown rule.
   */
  remove(id: string, namespace?: string): { removed: string } {
    const { rules } = this.#core
    if (rules.remove(id, namespace)) return { removed: id }
    const known = rules.list(namespace).map((rule) => rule.id)
    const name = JSON.stringify(id.slice(0, 80))
    if (known.includes(id))
      throw new ControlError(404, `Rule ${name} is for all namespaces: remove it without naming one.`)
    throw new ControlError(
      404,
      `There is no rule ${name}.${didYouMean(id, known)} GET ${controlPrefix}/rules lists them.`,
    )
  }
}

/** Reads a rule that a client sent over HTTP. */
function readPostedRule(value: unknown, operations: OperationTable): Rule {
  const checked = readRule(value, operations)
  if ('mistakes' in checked) throw new ControlError(400, checked.mistakes.join('; '))
  if (checked.rule.media?.file !== undefined) {
    throw new ControlError(400, 'media.file names a file of this machine, which is for scenario files only.')
  }
  return checked.rule
}

const ruleExample = '{"id": "flaky", "match": {"op": "video.poll"}, "attempts": [429, "reset", "ok"]}'
const nextExample = '{"op": "video.poll", "fault": "reset"}'

export const listedRuleSchema = once(() =>
  namedSchema(
    'ListedRule',
    z.object({
      layer: z.enum(['next', 'added', 'file']),
      id: z.string(),
      namespace: optionalText,
      eligible: integer,
      fired: integer,
      spent: z.boolean(),
      rule: anyObject as z.ZodMiniType as z.ZodMiniType<Rule>,
    } satisfies FieldsOf<ListedRule>),
    'A rule, and how often it fired.',
  ),
)

const route = routesFor<RuleControl>()
const id = once(() => ({ answer: { json: z.object({ id: z.string() }) } }))

export const ruleRoutes: readonly ControlRoute<RuleControl>[] = [
  route(
    'GET /rules',
    'the rules, highest precedence first, and how often each was eligible and fired',
    () => ({ answer: { json: z.array(listedRuleSchema()) } }),
    (rules, { named }) => rules.list(named),
  ),
  route(
    'POST /rules',
    `add a rule with precedence over the file, for all namespaces or the given one: ${ruleExample}`,
    () => ({ body: ruleSchema, ...id() }),
    (rules, { named, body }) => rules.add(body, named),
  ),
  route(
    'DELETE /rules/{id}',
    'remove a rule',
    () => ({ answer: { json: z.object({ removed: z.string() }) } }),
    (rules, { named, params }) => rules.remove(params['id']!, named),
  ),
  route(
    'POST /next',
    `change the next request only: ${nextExample}`,
    () => ({
      body: nextSchema(),
      ...id(),
    }),
    (rules, { named, body: { op, role, ...effect } }) => {
      if ('match' in effect) throw new ControlError(400, `Give "op", not "match". Send ${nextExample}.`)
      if (op === undefined && role === undefined)
        throw new ControlError(400, `Give "op" or "role". Send ${nextExample}.`)
      const match = { ...(op !== undefined && { op }), ...(role !== undefined && { role }) }
      return rules.next({ match, ...effect }, named)
    },
  ),
]

const nextSchema = once(() =>
  namedSchema(
    'NextRequest',
    z.looseObject({
      op: may(z.string(), 'An operation, or several by `*`.', such.poll),
      role: may(z.union([z.string(), z.array(z.string())]), 'Operations by their role.', 'poll'),
    }),
    'What happens to the next request: `op` or `role`, and the fields of a rule other than `match`.',
  ),
)

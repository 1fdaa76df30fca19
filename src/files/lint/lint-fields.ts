import { apisWith } from '../../apis/index.ts'
import { describeApi } from '../../apis/define/answers/describe-api.ts'
import type { AnswerSchema } from '../../apis/define/operation-schema.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { effectOf } from '../../scenario/rules/rule-state.ts'
import { readPath } from '../../scenario/schema/body-path.ts'
import { hasField } from '../../scenario/schema/schema-walk.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { LintFinding } from '../types.ts'
import { ruleName } from './lint-rules.ts'

type Rule = NonNullable<Scenario['rules']>[number]
type Respond = NonNullable<Rule['respond']>

/** A path that a rule omits or sets. */
interface EditedField {
  readonly key: 'omit' | 'set'
  readonly path: string
  readonly place: readonly PropertyKey[]
}

/** Finds fields that a rule removes or sets, and that no response to its operations has. */
export function lintFields({ rules = [], config }: Scenario, operations: OperationTable): LintFinding[] {
  if (!rules.some((rule, index) => listEdits(rule, index).length > 0)) return []
  const answers = describeAnswers(config?.apis)
  return rules.flatMap((rule, index) => {
    const concerned = operations.selectedBy(rule.match)
    const known = concerned.map((operation) => answers.get(operation))
    return listEdits(rule, index).flatMap(({ key, path, place }): LintFinding[] => {
      if (known.some((answer) => answer === undefined || canHave(answer, path, key))) return []
      const names = concerned.join(', ')
      if (!known.some((answer) => answer !== undefined && hasFields(answer))) {
        const message = `${ruleName(rule, index)} has ${key}, but ${names} only answers with bytes, which have no fields. Match another operation, or write a fault.`
        return [{ severity: 'mistake', place, message }]
      }
      const message = `${ruleName(rule, index)} may never change ${path}: no response to ${names} is known to have it. Correct the path, or remove it.`
      return [{ severity: 'advice', place, message }]
    })
  })
}

function listEdits(rule: Rule, index: number): EditedField[] {
  const own = { respond: rule.respond, place: ['rules', index, 'respond'] }
  const attempts = (rule.attempts ?? []).map((attempt, nth) => ({
    respond: effectOf(attempt).respond,
    place: ['rules', index, 'attempts', nth, 'respond'],
  }))
  return [own, ...attempts].flatMap(({ respond, place }) =>
    respond === undefined || isOwnBody(respond)
      ? []
      : [
          ...(respond.omit ?? []).map((path, nth) => ({
            key: 'omit' as const,
            path,
            place: [...place, 'omit', nth],
          })),
          ...Object.keys(respond.set ?? {}).map((path) => ({
            key: 'set' as const,
            path,
            place: [...place, 'set', path],
          })),
        ],
  )
}

/** Whether the rule writes the body, or a refusal. */
function isOwnBody({ body, error, status }: Respond): boolean {
  return body !== undefined || error !== undefined || (status !== undefined && status !== 200)
}

function describeAnswers(own: unknown): ReadonlyMap<string, AnswerSchema> {
  return new Map(
    apisWith(own).flatMap((api) =>
      Object.entries(describeApi(api).operations).map(([name, { answer }]) => [name, answer] as const),
    ),
  )
}

const hasFields = ({ json, events, texts }: AnswerSchema): boolean =>
  json !== undefined || events !== undefined || texts !== undefined

/**
 * Whether a response may have a field. A JSON response gets a field that a rule sets, if it has the object or list around
 * the field.
 */
function canHave({ json, events, texts }: AnswerSchema, path: string, key: EditedField['key']): boolean {
  const steps = readPath(path)
  if (steps === null || texts !== undefined) return true
  const inJson = key === 'set' ? steps.slice(0, -1) : steps
  return (json !== undefined && hasField(json, inJson)) || (events !== undefined && hasField(events, steps))
}

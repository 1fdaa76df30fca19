import * as z from 'zod/mini'
import { shippedOperations } from '../apis/index.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import { fillExample } from '../scenario/schema/known-names.ts'
import { checkAgainst, placeToShow, type Mistake } from '../scenario/schema/mistakes.ts'
import { scenarioSchema } from '../scenario/vocabulary/scenario-schema.ts'
import { definitionOf, keysOf, schemaAt, valueAt } from '../scenario/schema/schema-walk.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

/** Formats a value as YAML, with quotes only where YAML needs them. */
export function formatYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatYaml).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => `${scalar(key)}: ${formatYaml(each)}`)
    return `{ ${entries.join(', ')} }`
  }
  return typeof value === 'string' ? scalar(value) : String(value)
}

/** Whether a text needs quotes: YAML would parse it as another type, or as the end of a key. */
const needsQuotes =
  /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|[:#,[\]{}]|\s$|^(?:true|false|null|yes|no|on|off|~|[\d.+-].*)$/i

function scalar(text: string): string {
  const plainNumberLike =
    /^\d+(?:\.\d+)?(?:ms|s|m|h|d|%)|^\d+x\d+$|^\d+\/\d+\w+$|^\dxx$/.test(text) && !/^[\d.]+$/.test(text)
  if (plainNumberLike && !/[:#,[\]{}]/.test(text)) return text
  return needsQuotes.test(text) ? `'${text.replaceAll("'", "''")}'` : text
}

/** A mistake with its complete message. */
export interface LocatedMistake {
  readonly place: readonly PropertyKey[]
  readonly isKey: boolean
  /** The keys that lead to the mistake, what is wrong, the value, and what to do. */
  readonly sentence: string
}

/**
 * Validates the content of a scenario file of any format. `$schema` and keys that begin with `x-` are ignored: editors and
 * YAML anchors use them.
 *
 * @param operations those that it may name. Default: those of the shipped APIs.
 * @returns the scenario, or every mistake in it.
 */
export function checkScenario(
  value: unknown,
  operations: OperationTable = shippedOperations,
): { scenario: Scenario } | { mistakes: LocatedMistake[] } {
  const bared = withoutNotes(value)
  const checked = checkAgainst(scenarioSchema(operations), bared, operations)
  if ('value' in checked) return { scenario: checked.value as Scenario }
  return { mistakes: checked.mistakes.map((mistake) => locate(mistake, bared, operations)) }
}

/** Removes `$schema` and `x-` keys, which editors and YAML anchors use. */
export function withoutNotes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const own = Object.entries(value).filter(([key]) => key !== '$schema' && !key.startsWith('x-'))
  return Object.fromEntries(own)
}

function locate(mistake: Mistake, value: unknown, operations: OperationTable): LocatedMistake {
  const { place, isKey, found, isMissing, message } = mistake
  const path = pathText(placeToShow(mistake), value)
  const schema = scenarioSchema(operations)
  if (isKey) {
    const what = isMisplaced(place, schema) ? misplacedMessage : message
    return { place, isKey, sentence: `${path}: ${sentence(what)}` }
  }
  const { description, examples } = hoverAt(place, value, schema)
  const example = examples?.[0] === undefined ? undefined : fillExample(examples[0], operations)
  const such = example === undefined ? '' : ` Such as: ${formatYaml(example)}.`
  if (isMissing) {
    const what = description === undefined ? `. ${sentence(message)}` : `: ${inSentence(description)}`
    return { place, isKey, sentence: `${path}: is missing${what}${such}` }
  }
  const advice = saysWhatToDo.test(message) ? '' : such
  return { place, isKey, sentence: `${path}: is ${found}: ${sentence(message)}${advice}` }
}

/** Formats a description as the end of a sentence. */
function inSentence(description: string): string {
  return description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
}

const saysWhatToDo = /one of|did you mean|such as|write |give it|known:|use |leave /i

const misplacedMessage = 'is a key of the scenario, not of its config. Move it up.'

function isMisplaced(place: readonly PropertyKey[], schema: z.core.$ZodType): boolean {
  const [group, key] = place
  return place.length === 2 && group === 'config' && keysOf(schema)!.includes(String(key))
}

/**
 * The keys that lead to a place, joined by dots. Inside a rule or a throttle, its name is included.
 * @example
 * pathText(['rules', 0, 'match', 'op'], { rules: [{ id: 'flaky' }] }) // → 'rules.0.match.op (rule "flaky")'
 */
export function pathText(place: readonly PropertyKey[], value: unknown): string {
  if (place.length === 0) return 'the scenario'
  const path = place.map(String).join('.')
  const [list, index] = place
  if ((list !== 'rules' && list !== 'throttles') || typeof index !== 'number') return path
  const id = (value as Record<string, { id?: unknown }[] | undefined>)[list]?.[index]?.id
  return typeof id === 'string' ? `${path} (${list.slice(0, -1)} "${id.slice(0, 64)}")` : path
}

function hoverAt(
  place: readonly PropertyKey[],
  value: unknown,
  schema: z.core.$ZodType,
): { description?: string | undefined; examples?: readonly unknown[] | undefined } {
  const above = schemaAt(schema, value, place.slice(0, -1))
  const key = place.at(-1)
  const here = above && schemaAt(above, valueAt(value, place.slice(0, -1)), place.slice(-1))
  if (!here || key === undefined) return {}
  return metaOf(here)
}

/** The metadata of a schema, or of the schema that it wraps. */
function metaOf(schema: z.core.$ZodType): { description?: string; examples?: readonly unknown[] } {
  const own = z.globalRegistry.get(schema)
  if (own?.description !== undefined || own?.['examples'] !== undefined)
    return own as { description?: string }
  const { innerType } = definitionOf(schema)
  return innerType ? metaOf(innerType) : {}
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

import { inOnePiece } from '../one-piece.ts'
import type { RequestField, TaskRecord } from './plan.ts'

/** What records have in common, with holes where each has its own. */
export interface RecordForm {
  readonly shape: Shape
}

/** An object or a list: its parts, and a copy in which only those that hold something of a record's own are missing. */
interface Shape {
  readonly isList: boolean
  readonly names: readonly string[]
  readonly parts: readonly Part[]
  readonly template: Record<string, RequestField>
  /** The places of the parts that are missing in the copy. */
  readonly missing: readonly number[]
}

type Part = string | number | boolean | null | typeof hole | Shape
type Own = string | number
type Fields = Readonly<Record<string, RequestField | undefined>>
type IsOwn = (value: Own, name: string) => boolean

const hole = Symbol('hole')

/** More forms than this have nothing in common; all that a record holds is its own then. */
const maxForms = 1_000
/** Longer texts, and larger numbers, are hardly ever the same in two records. */
const maxSharedLength = 24
const largestShared = 10_000
const ownFields: ReadonlySet<string> = new Set([
  'identity',
  'row',
  'occurrence',
  'nth',
  'lastsMs',
  'wholeMs',
  'prompt',
])

/**
 * Packs records: most of what they hold is the same in thousands of them, and is kept once. A process can so keep
 * millions of tasks.
 */
export class RecordForms {
  readonly #forms = new Map<string, RecordForm>()
  /** By operation: the form that fitted last, as it mostly does again. Looking takes a fraction of describing. */
  readonly #latest = new Map<string, RecordForm>()

  /** @returns the form, shared with others, and the record's own values as a text; all but its id. */
  pack(record: TaskRecord): { form: RecordForm; own: string } {
    const fields = record as unknown as Fields
    const latest = this.#latest.get(record.operation)
    const own: Own[] = []
    if (latest && fits(latest.shape, fields, own, 'id')) return { form: latest, own: textOf(own) }
    const form = this.#formOf(fields)
    this.#latest.set(record.operation, form)
    own.length = 0
    fits(form.shape, fields, own, 'id')
    return { form, own: textOf(own) }
  }

  #formOf(fields: Fields): RecordForm {
    let isOwned = isOwn
    let key = describe(fields, isOwned, 'id')
    if (!this.#forms.has(key) && this.#forms.size >= maxForms) {
      isOwned = () => true
      key = describe(fields, isOwned, 'id')
    }
    let form = this.#forms.get(key)
    if (!form) this.#forms.set(key, (form = { shape: shapeOf(fields, isOwned, 'id') }))
    return form
  }
}

function textOf(own: readonly Own[]): string {
  return inOnePiece(JSON.stringify(own))
}

/** The record that was packed: equal to it, but another object. */
export function unpack(id: string, { shape }: RecordForm, own: string): TaskRecord {
  const record = filled(shape, JSON.parse(own) as Own[])
  record['id'] = id
  return record as unknown as TaskRecord
}

function isOwn(value: Own, name: string): boolean {
  if (ownFields.has(name)) return true
  return typeof value === 'string' ? value.length > maxSharedLength : Math.abs(value) > largestShared
}

/** Whether fields have a shape. What is their own is added to a list. @param but a field that counts as none. */
function fits({ isList, names, parts }: Shape, fields: Fields, own: Own[], but?: string): boolean {
  if (Array.isArray(fields) !== isList) return false
  let at = 0
  for (const name in fields) {
    const value = fields[name]
    // What isn't there in JSON isn't here.
    if (value === undefined || name === but) continue
    if (names[at] !== name || !fitsPart(parts[at]!, value, own)) return false
    at++
  }
  return at === names.length
}

function fitsPart(part: Part, value: RequestField, own: Own[]): boolean {
  if (typeof value === 'object' && value !== null) {
    return typeof part === 'object' && part !== null && fits(part, value as Fields, own)
  }
  if (part !== hole) return part === value
  if (typeof value === 'boolean' || value === null) return false
  own.push(value)
  return true
}

/** Says what fields are like, whatever is their own. */
function describe(fields: Fields, isOwned: IsOwn, but?: string): string {
  let text = Array.isArray(fields) ? '[' : '{'
  for (const [name, value] of fieldsOf(fields, but)) {
    const isNested = typeof value === 'object' && value !== null
    const isHole = (typeof value === 'string' || typeof value === 'number') && isOwned(value, name)
    text += `${name}:${isNested ? describe(value as Fields, isOwned) : isHole ? '#' : JSON.stringify(value)},`
  }
  return text
}

function shapeOf(fields: Fields, isOwned: IsOwn, but?: string): Shape {
  const isList = Array.isArray(fields)
  const known = fieldsOf(fields, but)
  const parts = known.map(([name, value]): Part => {
    if (typeof value === 'object' && value !== null) return shapeOf(value as Fields, isOwned)
    return typeof value !== 'boolean' && value !== null && isOwned(value, name) ? hole : value
  })
  const missing = [...parts.keys()].filter((at) => isMissing(parts[at]!))
  const values = parts.map((part) => (isMissing(part) ? null : isShape(part) ? part.template : part))
  const names = known.map(([name]) => name)
  const template = isList ? values : Object.fromEntries(names.map((name, at) => [name, values[at]]))
  // The id comes first, as it does in records.
  const whole = but === undefined ? template : { [but]: null, ...template }
  // What all of them share must stay as it is; of the rest each gets a copy, and what is frozen is slow to copy.
  return {
    isList,
    names,
    parts,
    template: (missing.length === 0 ? Object.freeze(whole) : whole) as Record<string, RequestField>,
    missing,
  }
}

/** Whether a part holds something of a record's own. */
function isMissing(part: Part): boolean {
  return part === hole || (isShape(part) && part.missing.length > 0)
}

function isShape(part: Part): part is Shape {
  return typeof part === 'object' && part !== null
}

/** Fields in order; those that aren't there in JSON aren't here. */
function fieldsOf(fields: Fields, but?: string): [string, RequestField][] {
  return Object.entries(fields).filter(
    (entry): entry is [string, RequestField] => entry[1] !== undefined && entry[0] !== but,
  )
}

/** A copy with what is its own, taken off a list in order. Copying the rest takes a fraction of putting it together. */
function filled(
  { isList, names, parts, template, missing }: Shape,
  own: Own[],
): Record<string, RequestField> {
  const value = isList ? (template as unknown as RequestField[]).slice() : { ...template }
  const fields = value as Record<string, RequestField>
  for (const at of missing) {
    const part = parts[at]!
    fields[names[at]!] = isShape(part) ? filled(part, own) : own.shift()!
  }
  return fields
}

import type { RequestField, TaskRecord } from './plan.ts'

/** What records have in common, with holes where each has its own. */
export interface RecordForm {
  readonly skeleton: Skeleton
}

type Skeleton = string | number | boolean | null | typeof hole | Skeleton[] | { [name: string]: Skeleton }
type Own = string | number

const hole = Symbol('hole')

/** More forms than this have nothing in common; all that a record holds is its own then. */
const mostForms = 1_000
/** Longer texts, and larger numbers, are hardly ever the same in two records. */
const longestShared = 24
const largestShared = 10_000
const ownFields: ReadonlySet<string> = new Set([
  'id',
  'identity',
  'row',
  'occurrence',
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

  /** @returns the form, shared with others, and the record's own values as a text; all but its id. */
  pack({ id: _id, ...record }: TaskRecord): { form: RecordForm; own: string } {
    const value = record as unknown as RequestField
    let own: Own[] = []
    let key = describe(value, '', own, isOwn)
    let isOwned = isOwn
    if (!this.#forms.has(key) && this.#forms.size >= mostForms) {
      own = []
      isOwned = () => true
      key = describe(value, '', own, isOwned)
    }
    let form = this.#forms.get(key)
    if (!form) this.#forms.set(key, (form = { skeleton: skeletonOf(value, '', isOwned) }))
    return { form, own: JSON.stringify(own) }
  }
}

/** The record that was packed: equal to it, but another object. */
export function unpack(id: string, { skeleton }: RecordForm, own: string): TaskRecord {
  const record = filled(skeleton, (JSON.parse(own) as Own[]).values()) as unknown as Omit<TaskRecord, 'id'>
  return { id, ...record }
}

function isOwn(value: Own, name: string): boolean {
  if (ownFields.has(name)) return true
  return typeof value === 'string' ? value.length > longestShared : Math.abs(value) > largestShared
}

/** Says what a value is like, and puts what is its own aside. */
function describe(value: RequestField, name: string, own: Own[], isOwned: typeof isOwn): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object') {
    if (!isOwned(value, name)) return JSON.stringify(value)
    own.push(value)
    return '#'
  }
  let text = Array.isArray(value) ? '[' : '{'
  const fields = value as Record<string, RequestField | undefined>
  for (const field in fields) {
    const each = fields[field]
    // What isn't there in JSON isn't here.
    if (each !== undefined) text += `${field}:${describe(each, field, own, isOwned)},`
  }
  return text
}

function skeletonOf(value: RequestField, name: string, isOwned: typeof isOwn): Skeleton {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value !== 'object') return isOwned(value, name) ? hole : value
  const fields = fieldsOf(value).map(([field, each]) => [field, skeletonOf(each, field, isOwned)] as const)
  return Array.isArray(value) ? fields.map(([, each]) => each) : Object.fromEntries(fields)
}

/** Fields in order; those that aren't there in JSON aren't here. */
function fieldsOf(value: Exclude<RequestField, Own | boolean | null>): [string, RequestField][] {
  return Object.entries(value as Record<string, RequestField | undefined>).filter(
    (entry): entry is [string, RequestField] => entry[1] !== undefined,
  )
}

function filled(skeleton: Skeleton, own: Iterator<Own>): RequestField {
  if (skeleton === hole) return own.next().value as Own
  if (typeof skeleton !== 'object' || skeleton === null) return skeleton as RequestField
  if (Array.isArray(skeleton)) return skeleton.map((each) => filled(each, own))
  const value: Record<string, RequestField> = {}
  for (const name in skeleton) value[name] = filled(skeleton[name]!, own)
  return value
}

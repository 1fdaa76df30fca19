import type * as z from 'zod/mini'
import { isObject } from '../../engine/is-object.ts'
import { compileChoice } from './choice.ts'
import {
  noteIssue,
  noteType,
  type InnerReading,
  type PlacedValue,
  type ReadValue,
  type ValueReading,
} from './misfit.ts'
import { definitionOf, innerOf, isOptional, runSchema } from './schema-walk.ts'

/** Makes the reader of a schema. Zod itself checks all values but objects, lists and choices. */
export function compileReader(schema: z.core.$ZodType, reading: ValueReading): ReadValue {
  return compile(schema, { ...reading, compile, ended: { count: 0 } })
}

function compile(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { type, checks = [] } = definitionOf(schema)
  switch (type) {
    case 'array':
      return compileList(schema, how)
    case 'object':
      return withChecks(compileObject(schema, how), checks, schema, how)
    case 'record':
      return withChecks(compileRecord(schema, how), checks, schema, how)
    case 'tuple':
      return withChecks(compileTuple(schema, how), checks, schema, how)
    case 'union':
      return withChecks(compileChoice(schema, how), checks, schema, how)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
    case 'lazy':
    case 'pipe':
    case 'transform':
      return withChecks(compileWrapper(type, schema, how), checks, schema, how)
    default:
      return compileLeaf(schema, how)
  }
}

/** A value that is ignored because it does not fit. */
class Ignored extends Error {}

function compileWrapper(type: string, schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { innerType, in: first, out, transform, defaultValue } = definitionOf(schema)
  if (type === 'transform')
    return (value, holder, key) => {
      const payload: z.core.ParsePayload = { value, issues: [] }
      const result = transform!(value, payload as never)
      for (const issue of payload.issues) noteIssue(issue, { value, holder, key }, schema, how)
      return result
    }
  if (type === 'lazy') {
    let read: ReadValue | undefined
    return (value, holder, key) => (read ??= compile(innerOf(schema), how))(value, holder, key)
  }
  if (type === 'pipe') {
    const [begin, end] = [compile(first!, how), compile(out!, how)]
    return (value, holder, key) => {
      const before = how.ended.count
      const begun = begin(value, holder, key)
      return how.ended.count === before ? end(begun, holder, key) : undefined
    }
  }
  if (type === 'catch') {
    const note = (): never => {
      throw new Ignored()
    }
    const read = compile(innerType!, { ...how, note })
    return (value, holder, key) => {
      try {
        return read(value, holder, key)
      } catch (error) {
        if (error instanceof Ignored) return undefined
        throw error
      }
    }
  }
  const read = compile(innerType!, how)
  if (type === 'nullable') return (value, holder, key) => (value === null ? null : read(value, holder, key))
  // Null counts as missing, unless the schema accepts only an absent key.
  const isExact = schema._zod.traits.has('$ZodExactOptional')
  const takesNull = how.isRequest === true && !isExact
  const takesNothing = how.isRequest === true || !isExact
  return (value, holder, key) =>
    (value === undefined && takesNothing) || (value === null && takesNull)
      ? defaultValue
      : read(value, holder, key)
}

function compileObject(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { shape, catchall } = definitionOf(schema)
  const inner = { ...how, around: undefined }
  const fields = Object.entries(shape!).map(([name, each]) => {
    const other = how.takesSnakeCase ? toSnakeCase(name) : name
    return { name, other, mayMiss: isOptional(each), read: compile(each, inner) }
  })
  // Most parts of texts have a single field. For such an object, only this field is looked up.
  const alone = new Map(fields.map((field) => [field.name, [field]]))
  const mayBeAlone = fields.every(({ mayMiss }) => mayMiss)
  const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never'
  const isLoose = catchall !== undefined && !isStrict
  return (value, holder, key) => {
    if (!isObject(value)) return noteType('object', { value, holder, key }, schema, how)
    const place = { holder, key }
    const result: Record<string, unknown> = isLoose ? { ...value } : {}
    const found = mayBeAlone ? alone.get(onlyKey(value)) : undefined
    for (const { name, other, mayMiss, read } of found ?? fields) {
      let given = value[name]
      if ((given === undefined || given === null) && other !== name) given = value[other]
      if (mayMiss && given === undefined) continue
      const field = read(given, place, name)
      if (field !== undefined || isLoose) result[name] = field
    }
    if (isStrict) refuseUnknown(value, shape!, { value, holder, key }, schema, how)
    return result
  }
}

function refuseUnknown(
  value: Readonly<Record<string, unknown>>,
  known: object,
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): void {
  let keys: string[] | undefined
  for (const key in value) if (!Object.hasOwn(known, key)) (keys ??= []).push(key)
  if (keys)
    noteIssue(
      { code: 'unrecognized_keys', keys, input: value as Record<string, unknown>, continue: true },
      found,
      schema,
      how,
    )
}

/** The name of the only field; empty if there are none or several. */
function onlyKey(value: object): string {
  let only = ''
  for (const key in value) {
    if (only !== '') return ''
    only = key
  }
  return only
}

function compileList(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { element, checks = [] } = definitionOf(schema)
  const read = compile(element!, { ...how, around: undefined })
  // The length comes first, because items may be many.
  const first = checks.filter(({ _zod }) => _zod.def.when !== undefined)
  const rest = checks.filter(({ _zod }) => _zod.def.when === undefined)
  const readItems: ReadValue = (value, holder, key) => {
    if (!Array.isArray(value)) return noteType('array', { value, holder, key }, schema, how)
    if (first.length > 0) runChecks(first, value, { value, holder, key }, schema, how)
    const place = { holder, key }
    return value.map((item: unknown, index) => read(item, place, index))
  }
  return withChecks(readItems, rest, schema, how)
}

function compileTuple(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { items = [] } = definitionOf(schema)
  const readWhole = compileLeaf(schema, how)
  if (how.isRequest) return readWhole
  const reads = items.map((item) => compile(item, { ...how, around: undefined }))
  return (value, holder, key) => {
    if (!Array.isArray(value) || value.length !== items.length) return readWhole(value, holder, key)
    const place = { holder, key }
    return reads.map((read, index) => read(value[index], place, index))
  }
}

function compileRecord(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { keyType, valueType } = definitionOf(schema)
  if (how.isRequest) return compileLeaf(schema, how)
  const read = compile(valueType!, { ...how, around: undefined })
  return (value, holder, key) => {
    if (!isObject(value)) return noteType('record', { value, holder, key }, schema, how)
    const place = { holder, key }
    const result: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      if (name === '__proto__') continue
      const { issues } = runSchema(keyType!, name)
      if (issues.length === 0) result[name] = read(value[name], place, name)
      else noteIssue(issues[0]!, { value: name, holder: place, key: name, isKey: true }, keyType!, how)
    }
    return result
  }
}

function compileLeaf(schema: z.core.$ZodType, how: InnerReading): ReadValue {
  const { type, checks = [] } = definitionOf(schema)
  const isChecked = schema._zod.traits.has('$ZodCheck') || checks.length > 0
  if (type === 'unknown' && !isChecked) return (value) => value
  // Zod takes much longer for these most frequent cases.
  const takesAny = !isChecked && (type === 'string' || type === 'number' || type === 'boolean')
  const isWritten = how.isText === true && (type === 'number' || type === 'boolean')
  return (given, holder, key) => {
    if (
      takesAny &&
      typeof given === type &&
      given !== Infinity &&
      given !== -Infinity &&
      !Number.isNaN(given)
    )
      return given
    const value = isWritten ? parseWritten(given, type, how) : given
    const { value: found, issues } = runSchema(schema, value)
    if (issues.length === 0) return found
    for (const issue of issues) noteIssue(issue, { value, holder, key }, schema, how)
    return found
  }
}

/** A number or boolean that a multipart body or a query has as a text. */
function parseWritten(value: unknown, type: string, { isQuery }: ValueReading): unknown {
  if (typeof value !== 'string') return value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  // A query has numbers in digits, neither `1e1` nor spaces.
  if (isQuery && !/^-?\d+(?:\.\d+)?$/.test(value)) return value
  const number = Number(value)
  return value.trim() !== '' && Number.isFinite(number) ? number : value
}

type Checks = readonly z.core.$ZodCheck<never>[]

/** Runs the checks of a schema once its parts fit. */
function withChecks(read: ReadValue, checks: Checks, schema: z.core.$ZodType, how: InnerReading): ReadValue {
  if (checks.length === 0) return read
  return (value, holder, key) => {
    const before = how.ended.count
    const result = read(value, holder, key)
    if (how.ended.count === before) runChecks(checks, result, { value, holder, key }, schema, how)
    return result
  }
}

function runChecks(
  checks: Checks,
  value: unknown,
  found: PlacedValue,
  schema: z.core.$ZodType,
  how: InnerReading,
): void {
  for (const { _zod } of checks) {
    const payload: z.core.ParsePayload = { value, issues: [] }
    void _zod.check(payload as never)
    for (const issue of payload.issues) noteIssue(issue, found, schema, how)
  }
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toLowerCase()
}

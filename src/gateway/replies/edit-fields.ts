import { readPath, valuesAt } from '../../scenario/schema/body-path.ts'
import type { Respond } from '../../scenario/vocabulary/types.ts'
import { mapTexts } from '../../engine/reply.ts'
import type { Reply } from './reply.ts'

/** The keys of a rule's response that change fields of the gateway's own JSON. */
type FieldEdits = Pick<Respond, 'omit' | 'set'>

/** Whether a rule changes fields of the gateway's own JSON. */
export function editsFields({ omit, set }: FieldEdits): boolean {
  return omit !== undefined || set !== undefined
}

/**
 * Removes and sets the fields that a rule names, in a JSON body or in each event of a stream.
 *
 * @param onEdit called for each body and event that changes. For a stream, this happens while the stream is sent.
 */
export function editFields(reply: Reply, edits: FieldEdits, onEdit: () => void): Reply {
  const { body } = reply
  if (typeof body === 'string') return { ...reply, body: editBody(body, edits, onEdit) }
  if (body === null || !('pieces' in body)) return reply
  // The copy has no `atOnce`, which would send the original text.
  const { onLeave } = body
  const pieces = mapTexts(body.pieces, (text) => editEvents(text, edits, onEdit))
  return { ...reply, body: { pieces, ...(onLeave && { onLeave }) } }
}

function editBody(text: string, edits: FieldEdits, onEdit: () => void): string {
  const body = parseJson(text)
  if (body === undefined) return editEvents(text, edits, onEdit)
  if (!editJson(body, edits, false)) return text
  onEdit()
  return JSON.stringify(body)
}

/** The data of a server-sent event. Every API writes it on one line. */
const dataLine = /^(data: ?)(.+?)(\r?)$/gm

/** Part of a JSON array whose entries are the events of a stream. */
const arrayPart = /^([\s,]*\[?[\s,]*)(\{.*\})([\s,\]]*)$/s

/** Edits the events in a part of a stream. An event that isn't JSON, such as `[DONE]`, stays as it is. */
function editEvents(text: string, edits: FieldEdits, onEdit: () => void): string {
  const edit = (json: string): string => {
    const entries = parseJson(`[${json}]`) as unknown[] | undefined
    const edited = entries?.map((event) => editJson(event, edits, true)) ?? []
    if (!edited.includes(true)) return json
    onEdit()
    return entries!.map((event) => JSON.stringify(event)).join(',')
  }
  const [, before, events, after] = arrayPart.exec(text) ?? []
  if (events !== undefined) return `${before}${edit(events)}${after}`
  return text.replaceAll(
    dataLine,
    (_line, field: string, json: string, end: string) => `${field}${edit(json)}${end}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Edits parsed JSON in place. @returns whether it changed. */
function editJson(body: unknown, { omit = [], set = {} }: FieldEdits, isEvent: boolean): boolean {
  const removed = omit.map((path) => atField(body, path, removeField))
  const changed = Object.entries(set).map(([path, value]) =>
    atField(body, path, (above, field) => setField(above, field, value, isEvent)),
  )
  return [...removed, ...changed].includes(true)
}

type EditOne = (above: object, field: string | number) => boolean

function atField(body: unknown, path: string, edit: EditOne): boolean {
  const steps = readPath(path)!
  const last = steps.at(-1)!
  let isEdited = false
  for (const above of valuesAt(body, steps.slice(0, -1))) {
    if (typeof above !== 'object' || above === null) continue
    // In a list or an object, `*` means each entry. `list.0` means the same as `list[0]`.
    const fields = last === '*' ? Object.keys(above).toReversed() : [last]
    for (const field of fields) isEdited = edit(above, field) || isEdited
  }
  return isEdited
}

const removeField: EditOne = (above, field) => {
  if (!Object.hasOwn(above, field)) return false
  if (Array.isArray(above) && /^\d+$/.test(String(field))) above.splice(Number(field), 1)
  else Reflect.deleteProperty(above, field)
  return true
}

/**
 * A stream spreads the fields of one answer over its events, and early ones are null. So an event is changed only if it has
 * the field.
 */
function setField(above: object, field: string | number, value: unknown, isEvent: boolean): boolean {
  const before: unknown = Object.hasOwn(above, field) ? Reflect.get(above, field) : undefined
  const isAbsent = before === undefined || (isEvent && before === null)
  if (isAbsent && (isEvent || Array.isArray(above))) return false
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(value)) return false
  // Not by assignment, which would treat a field `__proto__` differently.
  return Reflect.defineProperty(above, field, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

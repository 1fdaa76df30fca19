import * as z from 'zod/mini'
import type { AnswerSchema } from '../apis/define/operation-schema.ts'
import { integer } from '../scenario/schema/json-values.ts'
import { didYouMean, nearest } from '../engine/did-you-mean.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import type { JsonObject } from '../gateway/bodies/json.ts'
import type { MediaSpec } from '../media/spec.ts'
import { checkAgainst, mistakeSentence, type Mistake } from '../scenario/schema/mistakes.ts'
import { findUnknownKey, keysOf } from '../scenario/schema/schema-walk.ts'

/** One call of the control API, with the part of {@link Control} that carries it out. */
export interface ControlRoute<Part> {
  readonly methods: readonly string[]
  /** The path after the prefix. */
  readonly path: string
  /** The description for the index, in one line. */
  readonly does: string
  /** The maximum size of the body, if it exceeds the usual one. */
  readonly maxBodyBytes?: number
  /** The maximum number of JSON values, if it exceeds the usual one. */
  readonly maxBodyValues?: number
  /** Whether the call waits on the clock, so that time may move before its response. */
  readonly waits?: boolean
  /** Created on first use. */
  readonly form: () => ControlForm
  /**
   * @returns the response as JSON, or one of the classes below, such as {@link JsonInPieces} if the JSON takes long to
   * write.
   */
  readonly call: (part: Part, call: ControlCall) => unknown
}

/** The parameters and the response of a call. They are parsed by this form, and the OpenAPI document contains it. */
interface ControlForm {
  readonly query?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  /** Whether the body is any text, rather than a JSON object. */
  readonly takesText?: true
  readonly answer: AnswerSchema
}

type Read<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : JsonObject

/** Defines the routes of a part. Each call gets the parameters in its form. */
export function routesFor<Part>() {
  return <Form extends ControlForm>(
    name: `${'GET' | 'PUT' | 'POST' | 'DELETE'} ${string}`,
    does: string,
    form: () => Form,
    call: (part: Part, call: ControlCall<Read<Form['body']>, Read<Form['query']>>) => unknown,
    rest: Pick<ControlRoute<Part>, 'maxBodyBytes' | 'maxBodyValues' | 'waits'> = {},
  ): ControlRoute<Part> => {
    const [method, path] = name.split(' ') as [string, string]
    return { methods: [method], path, does, form, call: call as ControlRoute<Part>['call'], ...rest }
  }
}

const noFields = z.object({})

/**
 * Reads the query and the body of a call. Refuses a misspelled name, because the call would have a different effect than
 * intended.
 * @throws {ControlError} 400
 */
export function readCall(
  { does, form, methods }: ControlRoute<never>,
  { query, body }: { query: URLSearchParams; body: JsonObject },
): { query: unknown; body: unknown } {
  const { query: parameters = noFields, body: fields = noFields, takesText } = form()
  const names = [...Object.keys(parameters.shape), 'namespace']
  const can = methods[0] === 'GET' ? '' : ` This call can ${does}.`
  for (const name of query.keys()) {
    if (names.includes(name)) continue
    const elsewhere = keysOf(fields)?.includes(name) ? ` "${name}" is a field of the body.` : ''
    throw unknownName('query parameter', name, names, elsewhere + can)
  }
  const unknown = takesText ? undefined : findUnknownKey(fields, body)
  if (unknown) {
    const { key, known } = unknown
    const parameter = nearest(key, known) === undefined && nearest(key, names)
    const elsewhere = parameter ? ` Did you mean the query parameter: ?${parameter}=…?` : ''
    throw unknownName('field', key, known, elsewhere + can)
  }
  return { query: readBy(parameters, Object.fromEntries(query), can), body: readBy(fields, body, can) }
}

function readBy(schema: z.ZodMiniType, value: unknown, can: string): unknown {
  const checked = checkAgainst(schema, value)
  if ('value' in checked) return checked.value
  throw new ControlError(400, checked.mistakes.map(describeMistake).join(' ') + can)
}

/** @returns a sentence such as `"as" must be a text, not nothing.` */
function describeMistake(mistake: Mistake): string {
  const { place, isKey, isMissing, found, message } = mistake
  if (isKey) return mistakeSentence(mistake, 'the body')
  if (place.length === 0) return `${message[0]!.toUpperCase()}${message.slice(1)}.`
  const name = `"${place.map(String).join('.')}"`
  if (!message.startsWith('must ')) return `${name} is ${found}: ${message}.`
  return `${name} ${message}, not ${isMissing ? 'nothing' : found}.`
}

function unknownName(what: string, name: string, known: readonly string[], advice: string): ControlError {
  const list = known.length === 0 ? 'none' : known.join(', ')
  const given = JSON.stringify(name.slice(0, 60))
  return new ControlError(400, `Unknown ${what} ${given}.${didYouMean(name, known)} Known: ${list}.${advice}`)
}

/** JSON that is written in pieces, so that other work gets turns. */
export class JsonInPieces {
  readonly pieces: Iterable<string>

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}

/** The maximum number of items in a piece. */
const maxItemsInPart = 200

/** Responds with a short list at once, and with a long one in pieces. */
export function listAnswer(items: Iterable<unknown>, count: number): unknown {
  return count <= maxItemsInPart ? [...items] : new JsonInPieces(listText(items))
}

function* listText(items: Iterable<unknown>): Generator<string> {
  let part: unknown[] = []
  let opening = '['
  for (const item of items) {
    if (part.push(item) < maxItemsInPart) continue
    yield opening + JSON.stringify(part).slice(1, -1)
    opening = ','
    part = []
  }
  yield part.length > 0 ? `${opening}${JSON.stringify(part).slice(1)}` : opening === '[' ? '[]' : ']'
}

/** JSON that is sent later than its headers. */
export class JsonLater {
  readonly text: Promise<string>
  /** Called when the client leaves. */
  readonly onLeave: () => void

  constructor(text: Promise<string>, onLeave: () => void) {
    this.text = text
    this.onLeave = onLeave
  }
}

/** Bytes that are rendered on demand. */
export class MediaAnswer {
  readonly spec: MediaSpec

  constructor(spec: MediaSpec) {
    this.spec = spec
  }
}

/** A text with its own media type and headers. */
export class TextDocument {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>

  constructor(text: string, headers: Readonly<Record<string, string>>) {
    this.text = text
    this.headers = headers
  }
}

/** Server-sent events, until the client leaves. */
export class EventStream {
  readonly cutOff: AbortSignal
  readonly open: (left: AbortSignal) => AsyncIterable<Uint8Array>

  constructor(cutOff: AbortSignal, open: (left: AbortSignal) => AsyncIterable<Uint8Array>) {
    this.cutOff = cutOff
    this.open = open
  }
}

interface ControlCall<Body = unknown, Query = unknown> {
  readonly namespace: string
  /** The namespace in the call; undefined without one. */
  readonly named: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The raw body, for routes that accept any text. */
  readonly text: string
  /** A request header; empty when it is missing. @param name in lower case. */
  readonly header: (name: string) => string
  /** Aborted when the caller leaves. */
  readonly left: (() => AbortSignal) | undefined
}

/**
 * A failed control API call. The message says how to correct it.
 *
 * @example
 * sim.task('task_unknown') // throws ControlError: …task_unknown…
 */
export class ControlError extends Error {
  static {
    recognizeCopies(this, 'ControlError')
  }

  override name = 'ControlError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The refusal of a call that only works in Node. */
export function nodeOnly(what: string): ControlError {
  return new ControlError(501, `${what} are there on Node only, not in a page.`)
}

/** Reads a whole number in a path or query. */
export function readCount(name: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new ControlError(400, `"${name}" must be a whole number, not "${value.slice(0, 60)}".`)
}

/** The schemas of all fields of a type, and of no others. Each describes exactly the values of its field. */
export type FieldsOf<Type> = { readonly [Field in keyof Type]-?: z.ZodMiniType<Type[Field]> }

/** Milliseconds since 1970. */
export const instant = integer

const wholeNumber = 'must be a whole number'

/** A whole number in a query. */
export const count = z.coerce.number(wholeNumber).check(z.multipleOf(1, wholeNumber), z.gte(0, wholeNumber))

const momentForm = 'must be an ISO date or milliseconds since 1970'

/** An instant in the syntax of calls. */
export const moment = z.union(
  [z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), momentForm)), z.number()],
  momentForm,
)

/** @returns milliseconds since 1970. */
export const instantOf = (at: string | number): number =>
  Math.round(typeof at === 'number' ? at : Date.parse(at))

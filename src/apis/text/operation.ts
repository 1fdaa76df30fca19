import { textSettings } from './settings.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import { jsonHeaders, type PacedBody, type Reply } from '../../gateway/replies/reply.ts'
import type { BlockReason, PromptTokens, TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { modelInBody, requireModel } from '../define/catalog.ts'
import type { Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import {
  answerText,
  directivesOf,
  toInput,
  type AnswerImage,
  type BilledAnswer,
  type TextInput,
} from './answer.ts'
import { writeEvents } from './events/write-events.ts'
import { checkLength, guardFor, type UpstreamWords } from './fields.ts'
import { prepareImages, prepareText, type PreparedText, type ReceivedImages } from './prepare.ts'
import { cutInHalf, streamHeaders } from './stream.ts'
import { durationOf } from './text-delta.ts'

interface TextForm {
  readonly isStream: boolean
}

/** A text request of an API, and the form of its answer. */
export interface ReadRequest<Form> {
  readonly request: TextRequest
  readonly form: Form
}

/** What an API says of every request with a prompt. */
interface PromptDialect {
  /** By default, the field `model`. @throws {GatewayError} for a request without a model. */
  readonly modelOf?: (x: Exchange) => string
  /** The images of an unchecked body, as base64 or data URLs. */
  readonly imagesOf: (body: JsonObject) => readonly string[]
  /** The API's names for an error of the service behind the gateway, by its status. */
  readonly words: (status: number) => UpstreamWords
}

/**
 * How an API reads requests for texts, and writes their answers. All other code is shared.
 *
 * @typeParam Form the facts about the request that the answer needs.
 * @typeParam Body what the form of the operation reads.
 */
interface TextDialect<Form extends TextForm, Body> extends PromptDialect {
  /** @throws {Refused} */
  readonly read: (x: Exchange, images: ReceivedImages, body: Body) => ReadRequest<Form>
  /** The refusal of a blocked prompt; missing if the API answers instead. */
  readonly blocked?: (reason: BlockReason) => GatewayError
  /** The image that comes with the text, or in its place. */
  readonly imageOf?: (form: Form) => AnswerImage | undefined
  readonly stream: (billed: BilledAnswer, x: Exchange, read: ReadRequest<Form>) => Written<PacedBody>
  readonly whole: (billed: BilledAnswer, x: Exchange, read: ReadRequest<Form>) => Written<string>
}

interface Written<Body> {
  /** Those of JSON, or of events, by default. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body
  readonly inserts?: Reply['inserts']
  /** How long it takes after the text, if it isn't streamed. */
  readonly laterMs?: number
}

/** The behaviour of an operation that writes texts. */
export function textBehaviour<Form extends TextForm, Body>(
  { use, quirks }: Core,
  dialect: TextDialect<Form, Body>,
): Behaviour<PreparedText, TextInput & ReadRequest<Form>, Body> {
  const settings = use(textSettings)
  const { catalog, timing, textLimitCharacters } = settings
  const { modelOf = modelInBody } = dialect
  const guard = guardFor(dialect.words(400))
  const options = { words: dialect.words, blocked: dialect.blocked, guard }
  return {
    ...directivesOf(settings),
    prepare: (body, media) => prepareText(body, dialect.imagesOf(body), media, settings),
    guard,
    check: (x) => requireModel(catalog, modelOf(x), 'text'),
    parse: (x, body) => {
      const { prepared } = x
      const { request, form } = dialect.read(x, prepared.images, body)
      checkLength(request, textLimitCharacters)
      prepared.writer.check(request)
      const { request: plain, promptFault } = toInput(request, settings)
      return { request: plain, promptFault, form }
    },
    respond: (x, input) => {
      const { isStream } = input.form
      const image = dialect.imageOf?.(input.form)
      const billed = answerText(input, x, isStream, options, image)
      if (isStream) {
        const { headers = streamHeaders, body, inserts } = dialect.stream(billed, x, input)
        x.encode = (reply) => writeEvents(reply, quirks)
        return { status: 200, headers, body, delayMs: 0, ...(inserts && { inserts }) }
      }
      const { headers = jsonHeaders, body, inserts, laterMs = 0 } = dialect.whole(billed, x, input)
      return {
        status: 200,
        headers,
        body: input.promptFault ? cutInHalf(body) : body,
        delayMs: durationOf(billed, timing) + laterMs,
        ...(inserts && { inserts }),
      }
    },
  }
}

/** How an API reads requests whose tokens it counts, and writes the numbers. */
interface CountDialect<Body> extends PromptDialect {
  /** @throws {Refused} */
  readonly read: (x: Exchange, images: ReceivedImages, body: Body) => TextRequest
  readonly write: (tokens: PromptTokens, x: Exchange) => Reply
}

/** The behaviour of an operation that counts the tokens of a prompt. */
export function countBehaviour<Body>(
  { use }: Core,
  { modelOf = modelInBody, imagesOf, words, read, write }: CountDialect<Body>,
): Behaviour<ReceivedImages, TextRequest, Body> {
  const { catalog, imageLimitBytes, textLimitCharacters } = use(textSettings)
  const guard = guardFor(words(400))
  return {
    prepare: (body, media) => prepareImages(body, imagesOf(body), media, imageLimitBytes),
    guard,
    check: (x) => requireModel(catalog, modelOf(x), 'text'),
    parse: (x, body) => {
      const request = read(x, x.prepared, body)
      checkLength(request, textLimitCharacters)
      return request
    },
    respond: (x, request) =>
      write(
        guard(() => countPromptTokens(request)),
        x,
      ),
  }
}

import { textSettings } from './settings.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import type { PacedBody, Reply } from '../../gateway/replies/reply.ts'
import type { BlockReason, TextRequest } from '../../text/spec.ts'
import { requireModel } from '../models/catalog.ts'
import type { ApiDeps, Behaviour } from '../define/operation.ts'
import {
  answerText,
  directivesOf,
  toInput,
  type AnswerImage,
  type BilledAnswer,
  type TextInput,
} from './answer.ts'
import { checkLength, guardFor, type UpstreamWords } from './fields.ts'
import { prepareText, type PreparedText, type ReceivedImages } from './prepare.ts'
import { cutInHalf, streamHeaders, withCrlf } from './stream.ts'
import { durationOf } from './text-delta.ts'

/** A text request of an API, and the form of its answer. */
export interface ReadRequest<Form> {
  readonly request: TextRequest
  readonly form: Form
}

/**
 * How an API reads requests for texts, and writes their answers. All other code is shared.
 *
 * @typeParam Form the facts about the request that the answer needs.
 */
export interface TextDialect<Form> {
  /** @throws {GatewayError} for a request without a model. */
  readonly modelOf: (x: Exchange) => string
  /** The images of an unchecked body, as base64 or data URLs. */
  readonly imagesOf: (body: JsonObject) => readonly string[]
  /** @throws {RequestRefused} */
  readonly read: (x: Exchange, model: string, images: ReceivedImages) => ReadRequest<Form>
  /** The API's names for an error of the service behind the gateway, by its status. */
  readonly words: (status: number) => UpstreamWords
  /** The refusal of a blocked prompt; missing if the API answers instead. */
  readonly blocked?: (reason: BlockReason) => GatewayError
  readonly isStream: (form: Form) => boolean
  /** The image that comes with the text, or in its place. */
  readonly imageOf?: (form: Form) => AnswerImage | undefined
  readonly stream: (billed: BilledAnswer, x: Exchange, read: ReadRequest<Form>) => Written<PacedBody>
  readonly whole: (billed: BilledAnswer, x: Exchange, read: ReadRequest<Form>) => Written<string>
}

interface Written<Body> {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  readonly inserts?: Reply['inserts']
  /** How long it takes after the text, if it isn't streamed. */
  readonly laterMs?: number
}

/** The behaviour of an operation that writes texts. */
export function textBehaviour<Form>(
  { use, quirks }: ApiDeps,
  dialect: TextDialect<Form>,
): Pick<
  Behaviour<PreparedText, TextInput & ReadRequest<Form>>,
  'directives' | 'directiveUsage' | 'prepare' | 'parse' | 'respond'
> {
  const settings = use(textSettings)
  const { catalog, timing, textLimitCharacters } = settings
  const guard = guardFor(quirks, dialect.words(400))
  const options = { words: dialect.words, blocked: dialect.blocked, guard }
  return {
    ...directivesOf(settings),
    prepare: (body, media) => prepareText(body, dialect.imagesOf(body), media, settings),
    parse: (x) => {
      const { prepared, work } = x
      const model = dialect.modelOf(x)
      requireModel(catalog, model, 'text')
      return guard(() => {
        const { request, form } = dialect.read(x, model, prepared.images)
        checkLength(request, textLimitCharacters)
        prepared.writer.check(request, work)
        const { request: plain, promptFault } = toInput(request, settings)
        return { request: plain, promptFault, form }
      })
    },
    respond: (x, input) => {
      const isStream = dialect.isStream(input.form)
      const image = dialect.imageOf?.(input.form)
      const billed = answerText(input, x, isStream, { ...options, image })
      if (isStream) {
        const { headers, body, inserts } = dialect.stream(billed, x, input)
        const isCrlf =
          quirks.sseNewline === 'crlf' && headers['Content-Type'] === streamHeaders['Content-Type']
        return {
          status: 200,
          headers,
          body: isCrlf ? withCrlf(body) : body,
          delayMs: 0,
          ...(inserts && { inserts }),
        }
      }
      const { headers, body, inserts, laterMs = 0 } = dialect.whole(billed, x, input)
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

import type { Reply } from '../../gateway/replies/reply.ts'
import type { Context, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { requireModel } from '../models/catalog.ts'
import { obeyedDirectives } from '../text/directives.ts'
import { Question } from '../text/question.ts'
import { type PreparedText, prepareText } from '../text/prepare.ts'
import { type Reading, readingFor } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { generateAnswer } from '../text/generate-answer.ts'
import { cutInHalf } from '../text/stream.ts'
import { wholeAnswerMs } from '../text/text-delta.ts'
import { detailsOf, imprintOf } from './answer.ts'
import { pictureTexts } from './contents.ts'
import { modelOf } from './describe.ts'
import { embedRoutes } from './embed.ts'
import { asksForEvents, framingOf } from './framing.ts'
import { nativeModelRoutes } from './models.ts'
import { nativeHeaders, nativeReply } from './native-reply.ts'
import { nativeRoute, upstreamWords } from './native-route.ts'
import { readNativeRequest } from './request.ts'
import { nativeStream } from './stream.ts'
import { writtenAnswer, writtenImprint } from './written.ts'
import { checkLength } from '../text/length.ts'
import { mapMaybePromise } from '../../engine/maybe-promise.ts'
import type { TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { isObject } from '../text/fields.ts'
import { noImages, type ReceivedImages, receiveImages, withDigests } from '../text/images.ts'

/** Native text generation (§4.7, §4.8) with what belongs to it: counting, embedding, listing. */
export function nativeTextRoutes(settings: TextSurfaceSettings): Route[] {
  return [
    generateRoute(settings, 'text.generate'),
    generateRoute(settings, 'text.stream'),
    countRoute(settings),
    ...embedRoutes(settings),
    ...nativeModelRoutes(settings),
  ]
}

function generateRoute(settings: TextSurfaceSettings, operation: 'text.generate' | 'text.stream'): Route {
  const { catalog, quirks, messageLimit, textLimitCharacters } = settings
  const reading = readingFor(quirks, upstreamWords(400))
  return defineOperation<PreparedText, Question>(operation, {
    ...nativeRoute(settings, operation === 'text.stream'),
    ...obeyedDirectives(settings),
    prepare: (body, media) => prepareText(body, pictureTexts(body['contents']), media, settings),
    validate: ({ body, params, prepared, work }) => {
      const model = modelOf(params)
      requireModel(catalog, model, 'text')
      return reading(() => {
        const request = readNativeRequest(body, model, prepared.images, messageLimit)
        checkLength(request, textLimitCharacters)
        prepared.writer.check(request, work)
        return new Question(request, settings.promptDirectives)
      })
    },
    respond: (question, context) => {
      const streams = operation === 'text.stream' || asksForEvents(context.request.query)
      return answer(question, context, settings, reading, streams)
    },
  })
}

function answer(
  question: Question,
  context: Context,
  settings: TextSurfaceSettings,
  reading: Reading,
  streams: boolean,
): Reply {
  const { writer } = context.request.prepared as PreparedText
  const { timing, quirks } = settings
  const spoken = generateAnswer(question, context, writer, { streams, words: upstreamWords, reading })
  const imprint = imprintOf(question.request.model, context)
  if (streams) {
    const framing = framingOf(quirks, context.request.query)
    const body = nativeStream(spoken, timing, imprint, framing)
    return { status: 200, headers: framing.headers, body, delayMs: 0 }
  }
  const said = question.written(spoken.answer, () => writtenAnswer(spoken.answer))
  const whole = said + writtenImprint(imprint)
  return {
    status: 200,
    headers: nativeHeaders,
    body: question.trouble ? cutInHalf(whole) : whole,
    delayMs: wholeAnswerMs(spoken.answer, timing, spoken.chance),
  }
}

/**
 * Counts what a request would be charged for. Clients send its contents, or all of it in `generateContentRequest`.
 * @assumed §4.7 counting is not shown; wire §8.5.
 */
function countRoute(settings: TextSurfaceSettings): Route {
  const reading = readingFor(settings.quirks, upstreamWords(400))
  return defineOperation<ReceivedImages, TextRequest>('text.count', {
    ...nativeRoute(settings),
    prepare: (body, media) => {
      const { generateContentRequest: whole } = body
      const texts = pictureTexts(isObject(whole) ? whole['contents'] : body['contents'])
      const received = texts.length === 0 ? noImages : receiveImages(texts, media, settings.imageLimitBytes)
      return mapMaybePromise(received, (images) => ({ prepared: images, fields: withDigests(body, images) }))
    },
    validate: ({ body, params, prepared }) => {
      const model = modelOf(params)
      requireModel(settings.catalog, model, 'text')
      const { generateContentRequest: whole } = body
      return reading(() => {
        const request = readNativeRequest(
          isObject(whole) ? whole : body,
          model,
          prepared,
          settings.messageLimit,
        )
        checkLength(request, settings.textLimitCharacters)
        return request
      })
    },
    respond: (request, context) => {
      const prompt = reading(() => countPromptTokens(request, context.request.work))
      return nativeReply({ totalTokens: prompt.total, promptTokensDetails: detailsOf(prompt) })
    },
  })
}

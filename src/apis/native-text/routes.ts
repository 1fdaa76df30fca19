import type { Reply } from '../../gateway/replies/reply.ts'
import { defineRoute, type Context, type Route } from '../../gateway/route.ts'
import { requireModel } from '../models/catalog.ts'
import { obeyedDirectives } from '../text/directives.ts'
import { Question } from '../text/question.ts'
import { prepareText, type PreparedText } from '../text/prepare.ts'
import { readingFor, type Reading } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { speak } from '../text/speak.ts'
import { cutInHalf } from '../text/stream.ts'
import { wholeAnswerMs } from '../text/utterance.ts'
import { imprintOf } from './answer.ts'
import { pictureTexts } from './contents.ts'
import { countRoute } from './count.ts'
import { modelOf } from './describe.ts'
import { embedRoutes } from './embed.ts'
import { asksForEvents, framingOf } from './framing.ts'
import { nativeModelRoutes } from './models.ts'
import { nativeHeaders } from './native-reply.ts'
import { nativeRoute, pathsOf, upstreamWords } from './native-route.ts'
import { readNativeRequest } from './request.ts'
import { nativeStream } from './stream.ts'
import { writtenAnswer, writtenImprint } from './written.ts'
import { checkLength } from '../text/length.ts'

/** Native text generation (§4.7, §4.8) with what belongs to it: counting, embedding, listing. */
export function nativeTextRoutes(settings: TextSurfaceSettings): Route[] {
  return [
    generateRoute(settings, 'text.generate', 'generateContent'),
    generateRoute(settings, 'text.stream', 'streamGenerateContent'),
    countRoute(settings),
    ...embedRoutes(settings),
    ...nativeModelRoutes(settings),
  ]
}

function generateRoute(
  settings: TextSurfaceSettings,
  operation: 'text.generate' | 'text.stream',
  action: string,
): Route {
  const { catalog, quirks, messageLimit, textLimitCharacters } = settings
  const reading = readingFor(quirks, upstreamWords(400))
  return defineRoute<PreparedText, Question>({
    ...nativeRoute(settings, operation === 'text.stream'),
    operation,
    methods: ['POST'],
    ...pathsOf(action),
    ...obeyedDirectives(settings),
    prepare: (body, media) => prepareText(body, pictureTexts(body['contents']), media, settings),
    validate: ({ body, params, prepared, work }) => {
      const model = modelOf(params)
      requireModel(catalog, model, 'text')
      return reading(() => {
        const request = readNativeRequest(body, model, prepared.images, messageLimit)
        checkLength(request, textLimitCharacters)
        prepared.writer.check(request, work)
        return new Question(request, settings.magicPrompts)
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
  const { pace, quirks } = settings
  const spoken = speak(question, context, writer, { streams, words: upstreamWords, reading })
  const imprint = imprintOf(question.request.model, context)
  if (streams) {
    const framing = framingOf(quirks, context.request.query)
    const body = nativeStream(spoken, pace, imprint, framing)
    return { status: 200, headers: framing.headers, body, delayMs: 0 }
  }
  const said = question.written(spoken.answer, () => writtenAnswer(spoken.answer))
  const whole = said + writtenImprint(imprint)
  return {
    status: 200,
    headers: nativeHeaders,
    body: question.trouble ? cutInHalf(whole) : whole,
    delayMs: wholeAnswerMs(spoken.answer, pace, spoken.chance),
  }
}

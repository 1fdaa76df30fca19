import * as z from 'zod/mini'
import { may } from '../../scenario/schema/fields.ts'
import { textSettings } from '../text/settings.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { TextTiming } from '../../text/spec.ts'
import type { Core } from '../../gateway/core.ts'
import { tokensOfNativeImage } from '../painting/painting.ts'
import { addHint, type BilledAnswer } from '../text/answer.ts'
import { textBehaviour, type ReadRequest } from '../text/operation.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { metadataOf, nativeAnswer } from './answer.ts'
import { imageTexts } from './contents.ts'
import { generateForm, type GenerateBody } from './form.ts'
import {
  delayImage,
  hintFor,
  paintAnswer,
  paintFailure,
  readModalities,
  type Modalities,
  type PaintedPart,
} from './images.ts'
import { nativeHeaders, nativeJson } from '../text/native/refuse.ts'
import { defineNative, ofModel } from './native-operation.ts'
import { modelOf, upstreamWords } from '../text/native/request.ts'
import { readNativeRequest } from './request.ts'
import { isEventStream } from '../text/native/refuse.ts'
import { formatOf, nativeStream } from './stream.ts'

/** Native text generation (§4.7), streamed or not (§4.8). */
export const textGenerate = defineNative(
  {
    name: 'text.generate',
    summary: 'Generate a text',
    images: 'also',
    ...ofModel('text', 'generateContent'),
    form: generateForm,
  },
  (core) => generateBehaviour(core, ({ query }) => isEventStream(query)),
)

export const textStream = defineNative(
  {
    name: 'text.stream',
    summary: 'Generate a text as a stream',
    images: 'also',
    ...ofModel('stream', 'streamGenerateContent'),
    form: generateForm,
    schema: () => ({
      query: z.object({ alt: may(z.string(), '`sse` for server-sent events.', 'sse') }),
    }),
  },
  (core) => generateBehaviour(core, () => true),
)

function generateBehaviour(core: Core, isStream: (x: Exchange) => boolean) {
  const { quirks } = core
  const text = core.use(textSettings)
  return textBehaviour<NativeForm, GenerateBody>(core, {
    modelOf,
    imagesOf: (body) => imageTexts(body['contents']),
    read: (x, images, body) => ({
      request: readNativeRequest(body, modelOf(x), images, text.messageLimit),
      form: {
        isStream: isStream(x),
        modalities: readModalities(body.generationConfig, modelOf(x)),
        images,
      },
    }),
    words: upstreamWords,
    imageOf: ({ modalities: { image } }) => image && { tokens: tokensOfNativeImage, isAlone: image.isAlone },
    stream: (billed, x, read) => {
      const format = formatOf(quirks, x.query)
      const metadata = metadataOf(read.request.model, x)
      const painted = paintedPart(billed, x, read, text.timing)
      if (!painted)
        return { headers: format.headers, body: nativeStream(billed, text.timing, metadata, format) }
      const { pieces } = nativeStream(billed, text.timing, metadata, format, painted)
      return {
        headers: format.headers,
        body: { pieces: delayImage(pieces, painted) },
        inserts: painted.marks.inserts(paintFailure),
      }
    },
    whole: (billed, x, read) => {
      const painted = paintedPart(billed, x, read, text.timing)
      const body = nativeJson(nativeAnswer(billed.answer, metadataOf(read.request.model, x), painted))
      if (!painted) return { headers: nativeHeaders, body }
      const { marks, durationMs } = painted
      return { headers: nativeHeaders, body, inserts: marks.inserts(paintFailure), laterMs: durationMs }
    },
  })
}

interface NativeForm {
  readonly isStream: boolean
  readonly modalities: Modalities
  readonly images: ReceivedImages
}

/** The image of an answer, if it has one; a refused prompt has none. */
function paintedPart(
  { answer }: BilledAnswer,
  x: Exchange,
  { request, form }: ReadRequest<NativeForm>,
  timing: TextTiming,
): PaintedPart | undefined {
  const { modalities, images } = form
  const hint = hintFor(modalities)
  if (hint !== '') addHint(x, hint)
  if (!modalities.image || answer.blocked !== undefined) return undefined
  return paintAnswer(request, modalities.image, images, x, timing)
}

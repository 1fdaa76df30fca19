import { Refused } from '../jobs/kit/refused.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { PacedPiece } from '../../engine/reply.ts'
import type { Size } from '../../media/raster/raster.ts'
import type { ReceivedImage } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { readTextDirectives } from '../../text/directives.ts'
import type { TextRequest, TextTiming, Turn } from '../../text/spec.ts'
import { tokensOfNativeImage, ImageMarks, paint } from '../painting/painting.ts'
import { toPhoto } from '../painting/photos.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { imageScales, imageSizes, type GenerationConfig } from './form.ts'
import { errorEvent } from '../text/native/refuse.ts'

/** The image of an answer, as its request wants it. */
interface ImageForm {
  readonly size: Size
  /** Whether the answer has no text. */
  readonly isAlone: boolean
}

/** What an answer is made of besides text. */
export interface Modalities {
  /** Undefined for an answer without an image. */
  readonly image: ImageForm | undefined
  /** The requested modalities that are not made here. */
  readonly unmade: readonly string[]
}

/** Models that answer with images unless the request says otherwise, such as `gemini-2.5-flash-image`. */
const imageModel = /^gemini-.*image/

/**
 * Reads what an answer is to be made of. Models of images, and a request with `imageConfig`, need no `responseModalities`.
 * @param model the model of the request.
 * @assumed §2.6 the fields for images are undocumented; wire §8.2, and the types of the vendor's SDK.
 * @throws {Refused}
 */
export function readModalities(config: GenerationConfig = {}, model: string): Modalities {
  const { responseModalities, imageConfig, candidateCount = 1 } = config
  const makesImages = imageConfig !== undefined || imageModel.test(model)
  const wanted = responseModalities ?? (makesImages ? ['TEXT', 'IMAGE'] : [])
  const [width, height] = imageSizes[imageConfig?.aspectRatio ?? '1:1']
  const scale = imageScales[imageConfig?.imageSize ?? '1K']
  const hasImage = wanted.includes('IMAGE')
  if (hasImage && candidateCount > 1)
    throw new Refused('candidateCount must be 1 for an answer with an image')
  return {
    image: hasImage
      ? { size: { width: width * scale, height: height * scale }, isAlone: !wanted.includes('TEXT') }
      : undefined,
    unmade: wanted.filter((each) => each === 'AUDIO' || each === 'VIDEO'),
  }
}

/** Advises on what is not made; empty if everything is. */
export function hintFor({ unmade }: Modalities): string {
  return unmade.length === 0
    ? ''
    : `${unmade.join(' and ')} in responseModalities is ignored: answers have texts and images only.`
}

/** An image as a part of an answer. */
export interface PaintedPart {
  readonly part: { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  readonly marks: ImageMarks
  /** How long it takes after the text. */
  readonly durationMs: number
}

/**
 * Paints the last message of the user. Images of that turn are changed; without any, the last one of the conversation.
 * @param request without directives of faults.
 */
export function paintAnswer(
  { model, turns }: TextRequest,
  { size }: ImageForm,
  received: ReceivedImages,
  x: Exchange,
  timing: TextTiming,
): PaintedPart {
  const { tokensPerSecond = timing.tokensPerSecond } = x.decision.stream ?? {}
  const marks = new ImageMarks(x)
  const last = turns.findLast(({ role }) => role === 'user')
  const prompt = readTextDirectives(last ? textOf(last) : '').prompt
  const spec = paint({ prompt, model, photos: photosIn(turns, last, received), size }, 0, x)
  return {
    part: { inlineData: { mimeType: 'image/png', data: marks.add(spec) } },
    marks,
    durationMs:
      tokensPerSecond === undefined ? 0 : Math.round((tokensOfNativeImage * 1000) / tokensPerSecond),
  }
}

function textOf({ parts }: Turn): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
}

function photosIn(turns: readonly Turn[], last: Turn | undefined, received: ReceivedImages): Photo[] {
  const byDigest = new Map<string, ReceivedImage>()
  for (const image of received.values()) if (typeof image !== 'string') byDigest.set(image.digest, image)
  const inTurn = ({ parts }: Turn): Photo[] =>
    parts.flatMap((part) => {
      const image = part.type === 'image' && part.digest !== undefined ? byDigest.get(part.digest) : undefined
      return image ? [toPhoto(image)] : []
    })
  const sent = last ? inTurn(last) : []
  return sent.length > 0 ? sent : turns.flatMap(inTurn).slice(-1)
}

/** The pieces of a stream; those with the image, and all that follow, are due after it is painted. */
export function* delayImage(
  pieces: Iterable<PacedPiece>,
  { part, durationMs }: PaintedPart,
): Generator<PacedPiece, void> {
  let laterMs = 0
  for (const piece of pieces) {
    if (piece.text.includes(part.inlineData.data)) laterMs = durationMs
    yield laterMs === 0 ? piece : { ...piece, atMs: piece.atMs + laterMs }
  }
}

/** The body of a response whose image can't be painted. */
export const paintFailure = errorEvent(500, 'An internal error has occurred. Please retry.')

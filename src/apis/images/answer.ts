import { toUnixSeconds } from '../../engine/clock/duration.ts'
import { sampleDuration } from '../../engine/random/distribution.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { alphanumerics } from '../../engine/random/draws.ts'
import type { Size } from '../../media/raster/raster.ts'
import type { FileSpec, PictureSpec } from '../../media/spec.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import type { TextTiming } from '../../text/spec.ts'
import { countImageTokens, countTokens } from '../../text/tokens.ts'
import { countOutputTokens, tokensOfPartialImage, paint, type ImageMarks } from '../painting/painting.ts'
import { chargeTokens } from '../text/answer.ts'
import type { ImageRequest } from './request.ts'
import type { PacedBody, PacedPiece } from '../../engine/reply.ts'
import { drawFor } from '../../scenario/faults/fault.ts'
import type { PromptFault } from '../../text/directives.ts'
import { errorWords } from './refusals.ts'
import { namedEvent, shapePieces } from '../text/stream.ts'

/** What a request for images is made from, and where its images are stored. */
export interface ImageSources {
  readonly photos: readonly Photo[]
  readonly mask: string | undefined
}

/** Images that are paid for. */
interface MadeImages {
  readonly request: ImageRequest
  readonly size: Size
  readonly specs: readonly (PictureSpec | FileSpec)[]
  readonly usage: ImageUsage
  /** How long all of them take. */
  readonly durationMs: number
  /** When they are finished, in Unix seconds. */
  readonly createdAt: number
}

/** The tokens of a request, as OpenAI's API has them. */
interface ImageUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly text_tokens: number; readonly image_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly text_tokens: number; readonly image_tokens: number }
  readonly total_tokens: number
}

/**
 * Makes the images of a request and charges its key. Each attempt makes the same images, so that a retry looks like one.
 * @throws {GatewayError} for a key that can't pay.
 */
export function makeImages(
  request: ImageRequest,
  { photos, mask }: ImageSources,
  x: Exchange,
  timing: TextTiming,
): MadeImages {
  const { prompt, model, count, isCutOut, file, quality, partialImages = 0 } = request
  const size = request.size ?? sizeLike(photos[0])
  const painting = { prompt, model, photos, mask, size, isCutOut, file }
  const tokens = countOutputTokens(size, quality)
  const images = photos.reduce((sum, { width, height }) => sum + countImageTokens(width, height), 0)
  const usage = usageOf(countTokens(prompt), images, count * (tokens + partialImages * tokensOfPartialImage))
  chargeTokens(x, model, { input: usage.input_tokens, output: usage.output_tokens }, count)
  const durationMs = durationOf(request, tokens, x, timing)
  return {
    request,
    size,
    specs: Array.from({ length: count }, (_, index) => paint(painting, index, x)),
    usage,
    durationMs,
    createdAt: toUnixSeconds(x.now + (durationMs === Infinity ? 0 : durationMs)),
  }
}

function usageOf(text: number, images: number, output: number): ImageUsage {
  return {
    input_tokens: text + images,
    input_tokens_details: { text_tokens: text, image_tokens: images },
    output_tokens: output,
    output_tokens_details: { text_tokens: 0, image_tokens: output },
    total_tokens: text + images + output,
  }
}

/** The size of `auto`: one of the protocol's three, with about the ratio of the first image. */
function sizeLike(photo: Photo | undefined): Size {
  const ratio = photo ? photo.width / photo.height : 1
  if (ratio > 1.2) return { width: 1536, height: 1024 }
  return ratio < 1 / 1.2 ? { width: 1024, height: 1536 } : { width: 1024, height: 1024 }
}

/** Images of one request are made at the same time, as fast as a text of as many tokens. */
function durationOf(
  { takes }: ImageRequest,
  tokens: number,
  { draws, identity, attempt, decision }: Exchange,
  timing: TextTiming,
): number {
  if (takes !== undefined) return takes === 'forever' ? Infinity : takes
  const { firstToken, tokensPerSecond } = { ...timing, ...decision.stream }
  const firstMs =
    firstToken === undefined
      ? 0
      : (sampleDuration(firstToken, draws.unit('images.pace', identity, attempt)) ?? 0)
  return Math.round(firstMs + (tokensPerSecond === undefined ? 0 : (tokens * 1000) / tokensPerSecond))
}

/** What responses and events say about their images. */
function formOf({ request, size }: MadeImages): {
  size: string
  quality: string
  background: string
  output_format: string
} {
  const { quality, isCutOut, format } = request
  return {
    size: `${size.width}x${size.height}`,
    quality,
    background: isCutOut ? 'transparent' : 'opaque',
    output_format: format,
  }
}

/**
 * The body of a response.
 * @param images one for each: its base64, or its URL.
 * @assumed §4.6 the response is undocumented; the types of OpenAI's SDK, which say what only some models have.
 */
export function imagesAnswer(made: MadeImages, images: readonly string[]): unknown {
  const { request, usage, createdAt } = made
  const { family, prompt, isUrl } = request
  const revised = family.revisesPrompts ? { revised_prompt: prompt } : {}
  return {
    created: createdAt,
    ...(family.hasUsage && formOf(made)),
    data: images.map((image) => ({ ...(isUrl ? { url: image } : { b64_json: image }), ...revised })),
    ...(family.hasUsage && { usage }),
  }
}

/** The id of an image that is stored under a URL. */
export function imageId({ draws, identity, attempt, namespace }: Exchange, index: number): string {
  const drawn = draws.text(alphanumerics, 24, 'images.id', `${namespace.name}/${identity}/${index}`, attempt)
  return `img-${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`
}

/** What the events of a stream are called. */
export type StreamName = 'image_generation' | 'image_edit'

/**
 * Images as a stream of events: unfinished ones at even intervals, then each finished one.
 * @assumed §4.8 streams of images are undocumented; the types of OpenAI's SDK. The end of the response ends the stream.
 */
export function imageStream(name: StreamName, made: MadeImages, marks: ImageMarks, x: Exchange): PacedBody {
  const { decision, draws, identity, attempt } = x
  const { fault } = made.request
  // All of them now: the marks must be known before the first piece is sent.
  const events = [...eventsOf(name, made, marks)]
  const pieces = fault ? failAfter(events, fault) : events
  if (!decision.stream) return { pieces }
  const draw = drawFor(draws, decision.rules, identity, attempt)
  const writeError = (status: number, message: string): { text: string; breaksOff: boolean } => ({
    text: errorEvent(status, message),
    breaksOff: false,
  })
  return { pieces: shapePieces(pieces, decision.stream, draw, writeError) }
}

function* eventsOf(name: StreamName, made: MadeImages, marks: ImageMarks): Generator<PacedPiece, void> {
  const { request, specs, durationMs, createdAt } = made
  const { output_tokens_details: _details, ...usage } = made.usage
  const { partialImages = 0 } = request
  const form = { created_at: createdAt, ...formOf(made) }
  for (let part = 0; part < partialImages; part += 1) {
    const share = (part + 1) / (partialImages + 1)
    for (const spec of specs) {
      const unfinished = spec.kind === 'file' ? spec : { ...spec, progress: Math.round(100 * share) }
      const type = `${name}.partial_image`
      const event = { type, b64_json: marks.add(unfinished), partial_image_index: part, ...form }
      yield { text: namedEvent(type, event), atMs: Math.round(durationMs * share) }
    }
  }
  for (const [index, spec] of specs.entries()) {
    const type = `${name}.completed`
    const event = { type, b64_json: marks.add(spec), ...form, usage }
    yield {
      text: namedEvent(type, event),
      atMs: durationMs,
      ...(index === specs.length - 1 && { isFinal: true }),
    }
  }
}

/** Ends a stream early, after as many events as the directive says. */
function* failAfter(pieces: Iterable<PacedPiece>, fault: PromptFault): Generator<PacedPiece, void> {
  let [sent, atMs] = [0, 0]
  for (const piece of pieces) {
    if (sent >= fault.afterTokens || piece.isFinal) break
    sent += 1
    atMs = piece.atMs
    yield piece
  }
  if (fault.kind === 'cut') yield { text: '', atMs, part: 'cut', breaksOff: true }
  else yield { text: errorEvent(fault.status, fault.message), atMs, part: 'error' }
}

function errorEvent(status: number, message: string): string {
  return namedEvent('error', { type: 'error', error: { ...errorWords(status), message, param: null } })
}

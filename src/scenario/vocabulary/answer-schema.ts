import * as z from 'zod/mini'
import { parseDuration } from '../../engine/clock/duration.ts'
import { may, must, named, orField, readable, refusing } from '../schema/fields.ts'
import { templateProblem } from '../schema/templates.ts'
import { readPath } from '../schema/body-path.ts'
import {
  durationSpec,
  headerProblem,
  list,
  plainText,
  positiveNumber,
  sizeText,
  text,
  wholeNumber,
} from '../schema/values.ts'

const status = wholeNumber(200, 599)
const afterChunk = wholeNumber(0)

const checkHeaders: z.core.CheckFn<Readonly<Record<string, string>>> = ({ value, issues }) => {
  for (const [name, header] of Object.entries(value)) {
    const message = headerProblem(name, header) ?? templateProblem(header)
    if (message !== undefined) issues.push({ code: 'custom', path: [name], message, input: header })
  }
}

/** Circular values from code would never end. */
const maxBodyDepth = 200

const checkTemplates: z.core.CheckFn<unknown> = ({ value, issues }) => {
  const visit = (part: unknown, path: readonly PropertyKey[]): void => {
    if (path.length > maxBodyDepth) {
      issues.push({ code: 'custom', path: [...path], message: 'is nested too deeply', input: part })
      return
    }
    const message = typeof part === 'string' ? templateProblem(part) : undefined
    if (message !== undefined) issues.push({ code: 'custom', path: [...path], message, input: part })
    if (typeof part !== 'object' || part === null) return
    for (const [key, each] of Object.entries(part))
      visit(each, [...path, Array.isArray(part) ? Number(key) : key])
  }
  visit(value, [])
}

export const fieldPath = text(1).check(
  refusing((path) =>
    readPath(path)?.length ? undefined : 'not a path into a body. Write it as data.fail_reason',
  ),
)

export const respondSchema = z.lazy(() =>
  named(
    'respond',
    z.strictObject({
      status: may(
        status,
        "The HTTP status, from 200 to 599. Default: the gateway's own, or that of the error.",
        429,
      ),
      headers: may(
        z
          .record(z.string().check(z.regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')), z.string())
          .check(checkHeaders),
        'Additional headers, with templates such as `${task.id}`.',
        { 'x-region': 'eu' },
      ),
      body: may(
        z.unknown().check(checkTemplates),
        'The body: a text is sent as it is, any other value as JSON. Templates such as `${task.id}` are filled.',
        { message: 'no capacity' },
      ),
      omit: may(
        list(fieldPath, 1, 100),
        "Fields to remove from the gateway's own JSON response, or from each event of its stream, by path.",
        ['data.fail_reason'],
      ),
      set: may(
        z.record(fieldPath, z.unknown().check(checkTemplates)),
        "Fields to set in the gateway's own JSON response, by path. In a stream, every event that has the field gets the value.",
        { 'data.status': 'completed' },
      ),
      error: may(
        z.strictObject({
          message: may(plainText, 'The message.', 'slow down'),
          code: may(z.string(), 'The error code.', 'rate_limited'),
          type: may(z.string(), 'The kind of error.', 'rate_limit_error'),
        }),
        'An error in the envelope of the API.',
        { code: 'rate_limited', message: 'slow down' },
      ),
      retryAfter: may(
        z.union([
          z.string().check(readable((text: string) => text === 'auto' || parseDuration(text))),
          z.number().check(readable<number>(parseDuration)),
        ]),
        'The `Retry-After` header: a duration, or `auto` for the time until the limit allows the request.',
        'auto',
        '10s',
      ),
      retryAfterFormat: may(
        z.enum(['seconds', 'date']),
        'The format of `Retry-After`. Default `seconds`.',
        'date',
      ),
      broken: may(
        z.boolean(),
        'Whether the response counts as broken, like one with a fault: the client should then send the request again. Default false.',
        true,
      ),
      code: may(wholeNumber(), 'The code of a drawing submission.', 23),
      description: may(z.string(), 'The description next to the code.', 'Queue full'),
    }),
    "A response instead of the gateway's. The gateway fills keys that you leave out.",
    { status: 503, error: { message: 'overloaded' } },
  ),
)

export const streamSchema = z.lazy(() =>
  named(
    'stream',
    z.strictObject({
      text: may(z.string(), 'The text to stream.', 'Once there was a boat.'),
      chunk: may(z.enum(['token', 'word', 'character']), 'The size of a chunk. Default `token`.', 'word'),
      firstToken: may(durationSpec, 'The time until the first chunk.', '1200ms'),
      gap: may(durationSpec, 'The time between two chunks.', { normal: { mean: '180ms', sd: '60ms' } }),
      tokensPerSecond: may(positiveNumber(), 'The speed in tokens per second; the gap is added to it.', 80),
      stall: may(
        z.strictObject({
          afterChunk: must(afterChunk, 'The number of chunks before the pause.', 5),
          for: must(durationSpec, 'The length of the pause.', '8s'),
        }),
        'A pause in the middle of the stream.',
        { afterChunk: 5, for: '8s' },
      ),
      error: may(
        z.strictObject({
          afterChunk: must(afterChunk, 'The number of chunks before the error.', 8),
          kind: may(
            z.enum(['event', 'close', 'reset']),
            'How the error arrives: as an event, or as a closed or reset connection. Default `event`.',
            'reset',
          ),
          status: may(status, 'The status in the event.', 503),
          message: may(plainText, 'The message in the event.', 'model overloaded'),
        }),
        'An error in the middle of the stream.',
        { afterChunk: 8, kind: 'event', status: 503, message: 'model overloaded' },
      ),
      cut: may(
        orField(
          afterChunk,
          z.strictObject({ afterChunk: must(afterChunk, 'The number of chunks before the end.', 3) }),
        ),
        'An early end of the stream, without an error. A number is the number of chunks.',
        3,
        { afterChunk: 3 },
      ),
      finishReason: may(text(1), 'The finish reason, as the API spells it, such as `length`.', 'MAX_TOKENS'),
    }),
    'The pace of a streamed text, and where it breaks.',
    { chunk: 'word', gap: '60ms' },
  ),
)

/** Limits of the clips that a rule may have encoded. A rule may break clients, but must not overload the machine. */
export const maxMedia = { seconds: 120, side: 2048, framesPerSecond: 60 } as const
const minSide = 16

function sizeProblem(size: string): string | undefined {
  const isEven = (side: number): boolean => side >= minSide && side <= maxMedia.side && side % 2 === 0
  if (size.split('x').map(Number).every(isEven)) return undefined
  return `write WIDTHxHEIGHT with even sides from ${minSide} to ${maxMedia.side}`
}

export const mediaSchema = z.lazy(() =>
  named(
    'media',
    z.strictObject({
      file: may(
        text(1),
        'A video or image in the folder of this file. It is sent unchanged.',
        'clips/boat.mp4',
      ),
      seconds: may(wholeNumber(1, maxMedia.seconds), 'The length of the clip in seconds.', 4),
      size: may(
        sizeText.check(refusing(sizeProblem)),
        '`WIDTHxHEIGHT` in pixels, with even sides.',
        '640x360',
      ),
      fps: may(wholeNumber(1, maxMedia.framesPerSecond), 'The number of frames per second.', 24),
    }),
    "A replacement for the task's media in its download: a file, or a clip of another length or size.",
    { seconds: 4, size: '640x360' },
  ),
)

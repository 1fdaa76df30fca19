import { z } from 'zod'
import { faultTypes, type FaultType } from '../faults/fault.ts'
import { may, must, named, refusing } from './fields.ts'
import { durationSpec, positive, share } from './values.ts'

/** What each fault does, for hover and docs. */
export const faultWords: Readonly<Record<FaultType, string>> = {
  reset: 'The connection is reset, before the headers or in the middle of the body.',
  close: 'The connection is closed without an answer.',
  hang: 'Nothing comes until the client leaves.',
  'slow-start': 'The headers come at once, the body later.',
  drip: 'The body comes drop by drop.',
  truncate: 'The body ends early, though its whole length was announced.',
  'half-headers': 'The connection ends in the middle of the headers.',
  garbage: 'What comes is no HTTP.',
  'malformed-chunk': 'The body is sent in chunks, and one has a size that is none.',
  corrupt: 'Some bytes of the body are others; length and entity tag are those of the good one.',
  'wrong-type': 'The media type is another.',
  'invalid-json': 'The JSON breaks off in the middle, with a length that fits.',
  'redirect-loop': 'The answer leads to itself.',
  'duplicate-events': 'Every event of a stream comes twice.',
  'split-character': 'A stream is cut inside a character of several bytes.',
  stale: 'A poll goes back in time once.',
}

const lost = may(
  z.enum(['request', 'answer']),
  'What got lost: the request, so that nothing happened, or only the answer to it. Default `request`.',
  'answer',
)
const at = may(share, 'At which share of the body. Default 50%.', '40%')

function fault<Type extends FaultType, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: must(z.literal(type), faultWords[type], type), ...shape })
}

export const faultObject = z.discriminatedUnion('type', [
  fault('reset', {
    phase: may(
      z.enum(['before-headers', 'mid-body']),
      'Where. Default `before-headers`, or `mid-body` where `at` is given.',
      'mid-body',
    ),
    at,
    lost,
  }),
  fault('close', { lost }),
  fault('hang', { lost }),
  fault('slow-start', { for: must(durationSpec, 'How much later the body comes.', '5s') }),
  fault('drip', { bytesPerSecond: must(z.number().positive(), 'How fast.', 2_000) }),
  fault('truncate', { at }),
  fault('half-headers', { lost }),
  fault('garbage', { lost }),
  fault('malformed-chunk', {}),
  fault('corrupt', { bytes: may(positive.max(10_000), 'How many bytes. Default 16.', 3) }),
  fault('wrong-type', {
    mediaType: may(z.string().min(1), 'Which media type. Default text/html.', 'text/plain'),
  }),
  fault('invalid-json', {}),
  fault('redirect-loop', {}),
  fault('duplicate-events', {}),
  fault('split-character', {}),
  fault('stale', { by: may(durationSpec, 'How far back. Default: half of the age of the task.', '30s') }),
])

const incomplete: Readonly<Partial<Record<FaultType, string>>> = {
  'slow-start': '{ type: slow-start, for: 5s }',
  drip: '{ type: drip, bytesPerSecond: 2000 }',
}

/** A fault by its name alone, where it needs no more. */
export const faultName = z.enum(faultTypes).check(
  refusing((type) => {
    const whole = incomplete[type]
    return whole === undefined ? undefined : `it needs more than its name: ${whole}`
  }),
)

export const faultSchema = named(
  'fault',
  z.union([faultName, faultObject]),
  'How the answer breaks: the name of a fault, or its name as `type` with more.',
  'reset',
  { type: 'truncate', at: '40%' },
)

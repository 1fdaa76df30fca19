import { explorationOf, textEnds } from '../../apis/index.ts'
import { slowness } from '../../scenario/faults/good-clients.ts'
import type { Finish } from '../../text/spec.ts'
import type { InjectedEffect, Injection } from './injection.ts'
import type { InjectionPlace } from './places.ts'

/** What happens in the middle of a stream: after two words, or in the first call of a tool, which is a single word. */
function inStream(
  { callsTools }: InjectionPlace,
  happens: (afterChunk: number) => NonNullable<InjectedEffect['stream']>,
): NonNullable<InjectedEffect['stream']> {
  return callsTools ? { chunk: 'token', ...happens(1) } : happens(2)
}

/** Streams that take long. */
export const slowStreams: readonly Injection[] = [
  {
    id: 'stall 25s',
    description: 'The stream pauses for 25 s.',
    rank: 2,
    at: ['stream'],
    ...slowness,
    effect: (place) => ({ stream: inStream(place, (afterChunk) => ({ stall: { afterChunk, for: '25s' } })) }),
  },
  {
    id: 'slow stream',
    description: 'The stream sends one word every 12 s.',
    rank: 3,
    at: ['stream'],
    ...slowness,
    effect: () => ({ stream: { chunk: 'word', gap: '12s' } }),
  },
]

const brokenStream = {
  reaction: 'retry-with-backoff',
  expected: 'either',
  family: 'stream',
  isAcceptanceUnknown: true,
} as const

/** Texts that end otherwise than with a complete answer. */
const endInjections: readonly Injection[] = textEnds.map(
  ({ name, description, expected, needsCall = false, rank, answer }): Injection => ({
    id: name,
    description,
    family: 'ended early',
    rank,
    at: ['text', 'stream'],
    reaction: 'report-and-stop',
    expected,
    isAcceptanceUnknown: true,
    hasOwnResult: true,
    ...((expected === 'report' || needsCall) && { endsEarly: true }),
    fits: ({ operation, callsTools }) =>
      explorationOf(operation).textEnds?.some((end) => end.name === name) === true &&
      (!needsCall || callsTools),
    effect: () => ({ answer }),
  }),
)

/** How streams break, and how texts end. */
export const textInjections: readonly Injection[] = [
  ...endInjections,
  {
    id: 'error event',
    description: 'The stream sends an error event.',
    rank: 1,
    at: ['stream'],
    ...brokenStream,
    effect: (place) => ({
      stream: inStream(place, (afterChunk) => ({
        error: { afterChunk, kind: 'event', status: 503, message: 'model overloaded' },
      })),
    }),
  },
  {
    id: 'cut stream',
    description: 'The stream ends too early, without an error.',
    rank: 2,
    at: ['stream'],
    ...brokenStream,
    effect: (place) => ({ stream: inStream(place, (afterChunk) => ({ cut: { afterChunk } })) }),
  },
  {
    id: 'reset stream',
    description: 'The connection breaks in the middle of the stream.',
    rank: 3,
    at: ['stream'],
    ...brokenStream,
    effect: (place) => ({
      stream: inStream(place, (afterChunk) => ({ error: { afterChunk, kind: 'reset' } })),
    }),
  },
  {
    id: 'max tokens',
    description: 'The text ends at the limit of tokens.',
    family: 'ended early',
    rank: 1,
    at: ['text', 'stream'],
    reaction: 'report-and-stop',
    expected: 'report',
    isAcceptanceUnknown: true,
    endsEarly: true,
    fits: ({ operation, callsTools }) => explorationOf(operation).tokenLimit !== undefined && !callsTools,
    effect: ({ operation }) => ({ stream: { finishReason: explorationOf(operation).tokenLimit as Finish } }),
  },
  {
    id: 'tool loop',
    description: 'Every text calls a tool, without end.',
    family: 'tool loop',
    rank: 1,
    at: ['text', 'stream'],
    reaction: 'report-and-stop',
    expected: 'either',
    requests: 'all',
    hasOwnResult: true,
    fits: ({ canCallTools }) => canCallTools,
    effect: () => ({ answer: { calls: 'always' } }),
  },
]

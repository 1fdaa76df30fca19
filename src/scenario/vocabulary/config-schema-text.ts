import * as z from 'zod/mini'
import { answerProblem } from '../../text/fixed-answer.ts'
import { may, must, named, refusing } from '../schema/fields.ts'
import { durationSpec, nonNegative, positive, positiveNumber, text } from '../schema/values.ts'

/** Paces of texts with a name. */
export const textTimingNames = ['instant', 'natural'] as const

const finishes = [
  'stop',
  'length',
  'tool_calls',
  'safety',
  'other',
  'blocklist',
  'prohibited_content',
  'recitation',
  'language',
  'spii',
] as const

const call = z.lazy(() =>
  z.strictObject({
    name: must(z.string(), 'The name of the function.', 'weather'),
    args: must(z.record(z.string(), z.unknown()), 'The arguments.', { city: 'Paris' }),
  }),
)

const answerFields = () => ({
  text: may(z.string(), 'The text.', 'Paris.'),
  json: may(z.unknown(), 'A value that is sent as JSON text.', { city: 'Paris' }),
  calls: may(z.array(call), 'The function calls.', [{ name: 'weather', args: { city: 'Paris' } }]),
  thoughts: may(z.string(), 'The thoughts.', 'The user asks for a capital.'),
  block: may(
    z.enum(['safety', 'other', 'blocklist', 'prohibited_content']),
    'Refuses the prompt for this reason.',
    'safety',
  ),
  finish: may(z.enum(finishes), 'The finish reason. Default `stop`.', 'length'),
})

export const fixedAnswer = z.lazy(() =>
  z.strictObject({
    model: may(z.string(), 'Which models; `*` stands for any run of characters.', 'sim-*'),
    prompt: may(
      z.string(),
      'Which last user texts, in any case; `*` stands for any run of characters.',
      '*capital of France*',
    ),
    ...answerFields(),
  }),
)

const problemOf = (answer: Parameters<typeof answerProblem>[0]): string | undefined => {
  const problem = answerProblem(answer)
  return problem && `it ${problem}`
}

/** The answer of a rule, whose `match` says for which requests. */
export const scriptedAnswer = z.lazy(() =>
  named(
    'answer',
    z.strictObject(answerFields()).check(refusing(problemOf)),
    "What the model answers, word for word: a text, a JSON value or function calls, in place of the model's words.",
    { text: 'Paris.' },
    { json: { city: 'Paris' } },
  ),
)

export const textTiming = z.lazy(() =>
  z.strictObject({
    firstToken: may(durationSpec, 'The time until the first token.', '350ms'),
    tokensPerSecond: may(positiveNumber(), 'The tokens per second after that. Default: all at once.', 80),
    jitter: may(durationSpec, 'A pause before each further chunk, on top of the speed.', {
      uniform: ['0ms', '20ms'],
    }),
    tokensPerChunk: may(positive(), 'The number of tokens in a chunk. Default 1.', 1),
  }),
)
export const textTimingOption = z.lazy(() => z.union([z.enum(textTimingNames), textTiming]))

/** How texts are generated. */
export const textSchema = z.lazy(() =>
  z.strictObject({
    mode: may(
      z.enum(['prose', 'echo']),
      '`prose`: sentences about the prompt. `echo`: the last user text itself. Default `prose`.',
      'echo',
    ),
    timing: may(
      textTimingOption,
      'The speed: `instant`, `natural`, or figures. Default `natural`.',
      'natural',
    ),
    answers: may(z.array(fixedAnswer), 'Fixed answers; the first match is sent word for word.', [
      { prompt: '*capital of France*', text: 'Paris.' },
    ]),
  }),
)

const dollars = nonNegative()

/** What models cost, in dollars. */
export const price = z.lazy(() =>
  z.strictObject({
    models: must(text(1), 'Which models; `*` stands for any run of characters.', 'video-*'),
    perTask: may(dollars, 'The price of a task, however long.', 0.5),
    perSecond: may(dollars, 'The price of a second of video.', 0.08),
    input: may(dollars, 'The price of a million tokens of the request.', 0.5),
    output: may(
      dollars,
      'The price of a million tokens of the response, or of a video without the prices above.',
      2,
    ),
  }),
)

import * as z from 'zod/mini'
import { answerProblem } from '../../text/fixed-answer.ts'
import { may, must, named, orField, refusing } from '../schema/fields.ts'
import { durationSpec, maxPrice, nonNegative, positiveNumber, text } from '../schema/values.ts'

/** The named paces of texts. */
const textTimingNames = ['instant', 'natural'] as const

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
  named(
    'call',
    z.strictObject({
      name: must(z.string(), 'The name of the function.', 'weather'),
      args: must(z.record(z.string(), z.unknown()), 'The arguments.', { city: 'Paris' }),
    }),
    'A call of a function.',
  ),
)

const answerFields = () => ({
  text: may(z.string(), 'The text of the answer.', 'Paris.'),
  json: may(z.unknown(), 'A value, which the answer contains as JSON.', { city: 'Paris' }),
  calls: may(
    orField(z.enum(['always']), z.array(call)),
    'The function calls in the answer. `always`: every answer calls a function of its request, without end.',
    [{ name: 'weather', args: { city: 'Paris' } }],
    'always',
  ),
  thoughts: may(z.string(), 'The thoughts before the answer.', 'The user asks for a capital.'),
  block: may(
    z.enum(['safety', 'other', 'blocklist', 'prohibited_content']),
    'The reason for which the prompt is refused.',
    'safety',
  ),
  refusal: may(
    z.string(),
    'The text with which the model refuses. Chats and responses have a field for it.',
    'I cannot help with that.',
  ),
  empty: may(z.literal(true), 'No candidate, choice, block or item at all.', true),
  finish: may(z.enum(finishes), 'The finish reason. Default `stop`.', 'length'),
})

export const fixedAnswer = z.lazy(() =>
  z.strictObject({
    model: may(z.string(), 'The models to which the answer applies; `*` matches any characters.', 'sim-*'),
    prompt: may(
      z.string(),
      'The last text of the user, in upper or lower case; `*` matches any characters.',
      '*capital of France*',
    ),
    ...answerFields(),
  }),
)

const problemOf = (answer: Parameters<typeof answerProblem>[0]): string | undefined => {
  const problem = answerProblem(answer)
  return problem && `it ${problem}`
}

/** The text of a rule, whose `match` selects the requests. */
export const scriptedAnswer = z.lazy(() =>
  named(
    'answer',
    z.strictObject(answerFields()).check(refusing(problemOf)),
    'The exact answer of the model: a text, a JSON value or function calls.',
    { text: 'Paris.' },
    { json: { city: 'Paris' } },
  ),
)

export const textTiming = z.lazy(() =>
  z.strictObject({
    firstToken: may(durationSpec, 'The time until the first token.', '350ms'),
    tokensPerSecond: may(
      positiveNumber(),
      'The tokens per second after the first. Default: all at once.',
      80,
    ),
  }),
)
export const textTimingOption = z.lazy(() => z.union([z.enum(textTimingNames), textTiming]))

/** How texts are generated. */
export const textSchema = z.lazy(() =>
  z.strictObject({
    mode: may(
      z.enum(['prose', 'echo', 'multibyte']),
      '`prose` writes sentences about the prompt, `echo` repeats the last text of the user, `multibyte` writes a sentence with letters of several bytes, the same for each equal conversation. Default `prose`.',
      'echo',
    ),
    timing: may(
      textTimingOption,
      'The speed: `instant`, `natural`, or figures. Default `natural`.',
      'natural',
    ),
    answers: may(z.array(fixedAnswer), 'Fixed answers; the first match is sent.', [
      { prompt: '*capital of France*', text: 'Paris.' },
    ]),
  }),
)

const dollars = nonNegative(maxPrice)

/** The price of a model, in dollars. */
export const price = z.lazy(() =>
  z.strictObject({
    models: must(text(1), 'The models with this price; `*` matches any characters.', 'video-*'),
    perTask: may(dollars, 'The price of a task of any length.', 0.5),
    perSecond: may(dollars, 'The price of a second of video.', 0.08),
    input: may(dollars, 'The price of a million tokens of the request.', 0.5),
    output: may(
      dollars,
      'The price of a million tokens of the response, or of a video that has neither price above.',
      2,
    ),
  }),
)

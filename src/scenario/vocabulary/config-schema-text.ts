import * as z from 'zod/mini'
import { textPaces } from '../../apis/text/settings.ts'
import { may, must } from '../schema/fields.ts'
import { durationSpec, nonNegative, positive, positiveNumber, text } from '../schema/values.ts'

const timingNames = Object.keys(textPaces) as (keyof typeof textPaces)[]

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
    name: must(z.string(), 'Which function.', 'weather'),
    args: must(z.record(z.string(), z.unknown()), 'What it is called with.', { city: 'Paris' }),
  }),
)

const fixedAnswer = z.lazy(() =>
  z.strictObject({
    model: may(z.string(), 'For which models; `*` stands for any text.', 'sim-*'),
    prompt: may(z.string(), 'For which prompts; `*` stands for any text.', '*capital of France*'),
    text: may(z.string(), 'What is said.', 'Paris.'),
    json: may(z.unknown(), 'What is said, as JSON.', { city: 'Paris' }),
    calls: may(z.array(call), 'Functions that are called.', [{ name: 'weather', args: { city: 'Paris' } }]),
    thoughts: may(z.string(), 'What is thought before.', 'The user asks for a capital.'),
    block: may(
      z.enum(['safety', 'other', 'blocklist', 'prohibited_content']),
      'Why the prompt is refused.',
      'safety',
    ),
    finish: may(z.enum(finishes), 'Why the answer ends.', 'length'),
  }),
)

/** How texts are answered. */
export const textSchema = z.lazy(() =>
  z.strictObject({
    mode: may(z.enum(['prose', 'echo']), 'Prose about the prompt, or the last thing the user said.', 'echo'),
    timing: may(
      z.union([
        z.enum(timingNames),
        z.strictObject({
          firstToken: may(durationSpec, 'How long until the first token.', '350ms'),
          tokensPerSecond: may(positiveNumber(), 'How fast tokens come then.', 80),
          jitter: may(durationSpec, 'A wait before each further chunk.', { uniform: ['0ms', '20ms'] }),
          tokensPerChunk: may(positive(), 'How many tokens a chunk has. Default 1.', 1),
        }),
      ]),
      'How fast it is said: `instant`, `natural`, or figures.',
      'natural',
    ),
    answers: may(z.array(fixedAnswer), 'Answers word for word, for the first that fits.', [
      { prompt: '*capital of France*', text: 'Paris.' },
    ]),
  }),
)

const dollars = nonNegative()

/** What models cost, in dollars. */
export const prices = z.lazy(() =>
  z.array(
    z.strictObject({
      models: must(text(1), 'Which models; `*` stands for any text.', 'video-*'),
      perTask: may(dollars, 'For each task.', 0.5),
      perSecond: may(dollars, 'For each second of video.', 0.08),
      input: may(dollars, 'For a million tokens that come in.', 0.5),
      output: may(dollars, 'For a million tokens of the answer, or of the video.', 2),
    }),
  ),
)

/** How many requests a key may make in a time. */
export function rate<Duration extends z.ZodMiniType>(duration: Duration) {
  return z.strictObject({
    requests: must(positive(), 'How many requests.', 60),
    per: may(duration, 'In how long a time. Default 1m.', '1m'),
    retryAfter: may(z.boolean(), 'Whether a refusal says when to come back. Default true.', true),
    headers: may(z.boolean(), 'Whether answers carry `x-ratelimit-*`. Default false.', true),
  })
}

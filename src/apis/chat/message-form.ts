import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { ifMissing, ifNoText } from '../text/refuse-misfit.ts'
import { imageUrl, maxTools, writtenArguments } from '../text/openai/shared-form.ts'

const part = once(() =>
  z.union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    z.object({ type: z.literal('image_url'), image_url: imageUrl() }),
    z.object({ type: z.enum(['input_audio', 'file']) }),
  ]),
)

const noContent = '{field} must be a string or an array of parts, not {value}'
const content = once(() => z.union([z.string(), z.array(part())], noContent))

const nothing = '{field} must not be empty'
const filledContent = once(() =>
  z.union([z.string(), z.array(part()).check(z.minLength(1, nothing))], {
    error: (issue) => ifMissing(nothing)(issue) ?? noContent,
  }),
)

const call = once(() =>
  z.object({
    name: z.string({ error: ifNoText('{field} must not be empty') }).check(z.minLength(1)),
    arguments: writtenArguments(),
  }),
)

const incomplete = '{holder} needs an id and a function'
const toolCall = once(() =>
  z.object({
    id: z.string({ error: ifNoText(incomplete) }).check(z.minLength(1)),
    function: z.object(call().shape, { error: ifMissing(incomplete) }),
  }),
)

export type FunctionCall = z.output<ReturnType<typeof call>>

export const chatMessage = once(() =>
  named(
    'ChatMessage',
    z.union([
      z.object({ role: z.enum(['system', 'developer']), content: z.optional(content()) }),
      z.object({ role: z.literal('user'), content: must(filledContent(), 'A text, or parts.') }),
      z.object({
        role: z.literal('assistant'),
        content: z.optional(z.nullable(content())),
        tool_calls: may(
          z.array(toolCall()).check(z.maxLength(maxTools)),
          'Each is answered by a message right after it.',
        ),
        function_call: z.optional(call()),
      }),
      z.object({
        role: z.literal('tool'),
        tool_call_id: must(
          z.string({ error: ifNoText('{field} is required') }).check(z.minLength(1)),
          'A call of the message before.',
        ),
        content: z.optional(content()),
      }),
      z.object({
        role: z.literal('function'),
        name: must(z.string(), 'A function that was called before.'),
        tool_call_id: z.optional(z.string()),
        content: z.optional(content()),
      }),
    ]),
    'A message of a conversation.',
  ),
)

export type ChatMessage = z.output<ReturnType<typeof chatMessage>>

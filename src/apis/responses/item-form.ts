import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { named } from '../../scenario/schema/fields.ts'
import { imageUrl, writtenArguments } from '../text/openai/shared-form.ts'
import { defineForm } from '../define/form.ts'
import { ifMissing, refuseMisfit } from '../text/refuse-misfit.ts'

const isEmpty = (input: unknown): boolean => (input ?? '') === ''

const requiredText = once(() =>
  z
    .string({ error: ({ input }) => (isEmpty(input) ? '{field} is required' : undefined) })
    .check(z.minLength(1)),
)

const partTypes = 'input_text, output_text, input_image, input_file or input_audio'

const part = once(() =>
  z.union([
    z.object({
      type: z.enum(['input_text', 'output_text', 'text'], {
        error: ({ input }) => {
          if (isEmpty(input)) return '{field} is required'
          return typeof input === 'string' ? `{field} is {value}: use ${partTypes}` : undefined
        },
      }),
      text: z.string(),
    }),
    z.object({
      type: z.literal('refusal'),
      refusal: z.string({ error: ifMissing('{holder}.text is required') }),
    }),
    // Without a URL, it is an uploaded image, or one of an earlier response, which is not stored.
    z.object({ type: z.literal('input_image'), image_url: z.optional(imageUrl()) }),
    z.object({ type: z.enum(['input_file', 'input_audio']) }),
  ]),
)

const content = once(() =>
  z.union([z.string(), z.array(part())], '{field} must be a string or an array of parts, not {value}'),
)

/** A text, or parts of a message. */
export type ItemContent = z.output<ReturnType<typeof content>>

/** Items of the service's own tools, and of reasoning. Clients return them with the conversation, and they are ignored. */
const ignoredType = once(() =>
  z.pipe(
    z
      .string()
      .check(
        z.regex(
          /^(?:reasoning|compaction|program|additional_tools|\w+_(?:call|call_output|search_output|list_tools|approval_request|approval_response|trigger))$/,
          '{field} is {value}: use message, function_call, function_call_output or item_reference',
        ),
      ),
    z.transform(() => 'ignored' as const),
  ),
)

export const givenItem = once(() =>
  named(
    'GivenItem',
    z.union([
      z.object({
        type: z.optional(z.literal('message')),
        role: z.enum(['user', 'assistant', 'system', 'developer']),
        content: content(),
      }),
      z.object({
        type: z.literal('function_call'),
        name: requiredText(),
        call_id: requiredText(),
        arguments: writtenArguments(),
      }),
      z.object({ type: z.literal('function_call_output'), call_id: requiredText(), output: content() }),
      z.object({ type: z.literal('item_reference'), id: z.string() }),
      z.object({ type: ignoredType() }),
    ]),
    'An item of a conversation. A call of a function has its output after it. Other items of the service are not read.',
  ),
)

export type GivenItem = z.output<ReturnType<typeof givenItem>>

/** The form of an item alone, for one of a stored response. */
export const itemForm = defineForm(givenItem, refuseMisfit)

import Anthropic from '@anthropic-ai/sdk'
import { betaZodOutputFormat } from '@anthropic-ai/sdk/helpers/beta/zod'
import { z } from 'zod'
import { makeAnthropicSteps } from '../anthropic-steps.js'
import { runSteps } from '../run-steps.js'

const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })

/** Fields of the API of today, which this version of a year ago reads without knowing them, and why they exist. */
const usageFields = {
  'usage.output_tokens_details': 'Says how many output tokens are thoughts.',
  'usage.inference_geo': 'Says where a model ran.',
  'usage.speed': 'Says whether a model ran in fast mode.',
}
const messageFields = {
  container: 'Names the container of code execution.',
  diagnostics: 'Explains why a cache was missed.',
  stop_details: 'Explains a refusal.',
  ...usageFields,
}
const modelFields = {
  capabilities: 'Lists what a model can do.',
  deprecated_at: 'Dates of the life of a model.',
  lifecycle: 'Says whether a model is active, deprecated or retired.',
  line: 'Names the line of a model.',
  max_input_tokens: 'Limits of a model.',
  max_tokens: 'Limits of a model.',
  retires_at: 'Dates of the life of a model.',
}
const toolCaller = 'Says who called a tool: the model, or code that it ran.'

/** @param {Record<string, string>} fields */
const named = (type, fields, before = '') =>
  Object.fromEntries(
    Object.entries(fields).map(([path, reason]) => [`Anthropic.${type} ${before}${path}`, reason]),
  )

const newerFields = {
  ...named('Message', { ...messageFields, 'content.caller': toolCaller }),
  ...named('RawMessageStreamEvent', messageFields, 'message.'),
  ...named('RawMessageStreamEvent', {
    'content_block.caller': toolCaller,
    'delta.container': messageFields.container,
    'delta.stop_details': messageFields.stop_details,
    'usage.output_tokens_details': usageFields['usage.output_tokens_details'],
  }),
  ...named('ModelInfo', modelFields),
}

await runSteps(
  makeAnthropicSteps(Anthropic, {
    newerFields,
    async parse(client, fields) {
      const output_format = betaZodOutputFormat(Person)
      const { parsed_output } = await client.beta.messages.parse({ ...fields, output_format })
      Person.parse(parsed_output)
    },
  }),
)

import Anthropic from '@anthropic-ai/sdk'
import { betaZodOutputFormat } from '@anthropic-ai/sdk/helpers/beta/zod'
import { z } from 'zod'
import { makeAnthropicSteps } from '../anthropic-steps.js'
import { runSteps } from '../run-steps.js'

const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })

await runSteps(
  makeAnthropicSteps(Anthropic, {
    isStrict: false,
    async parse(client, fields) {
      const output_format = betaZodOutputFormat(Person)
      const { parsed_output } = await client.beta.messages.parse({ ...fields, output_format })
      Person.parse(parsed_output)
    },
  }),
)

import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'
import { makeAnthropicSteps } from '../anthropic-steps.js'
import { runSteps } from '../run-steps.js'

const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })

await runSteps(
  makeAnthropicSteps(Anthropic, {
    async parse(client, fields) {
      const output_config = { format: zodOutputFormat(Person) }
      const { parsed_output } = await client.messages.parse({ ...fields, output_config })
      Person.parse(parsed_output)
    },
  }),
)

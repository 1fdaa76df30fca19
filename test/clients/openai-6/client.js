import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { makeOpenAiImageSteps } from '../openai-image-steps.js'
import { makeOpenAiSteps } from '../openai-steps.js'
import { runSteps } from '../run-steps.js'

await runSteps({
  ...makeOpenAiSteps(OpenAI, { zod: z, zodResponseFormat, zodTextFormat }),
  ...makeOpenAiImageSteps(OpenAI, {
    // A field of the API of today, which this version of a year ago reads without knowing it.
    newerFields: {
      'OpenAI.Images.ImagesResponse usage.output_tokens_details':
        'Says how many output tokens are text, and how many are images.',
    },
  }),
})

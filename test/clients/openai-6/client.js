import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { makeOpenAiImageSteps } from '../openai-image-steps.js'
import { makeOpenAiSteps } from '../openai-steps.js'
import { runSteps } from '../run-steps.js'

await runSteps({
  ...makeOpenAiSteps(OpenAI, { zod: z, zodResponseFormat, zodTextFormat }),
  ...makeOpenAiImageSteps(OpenAI, { isStrict: false }),
})

import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { makeOpenAiSteps } from '../openai-steps.js'
import { runSteps } from '../run-steps.js'

await runSteps(makeOpenAiSteps(OpenAI, { zod: z, zodResponseFormat, zodTextFormat }))

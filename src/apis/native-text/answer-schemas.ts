import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { anyObject, integer, optionalText } from '../define/operation-schema.ts'

/** The envelope of refusals. */
export const nativeError = once(() =>
  named(
    'NativeError',
    z.object({
      error: z.object({
        code: integer,
        message: z.string(),
        status: must(z.string(), 'Such as INVALID_ARGUMENT.'),
        type: optionalText,
        param: optionalText,
        details: z.optional(z.array(anyObject)),
      }),
    }),
    'A refusal in the form of the native API.',
  ),
)

export const nativeModelSchema = once(() => {
  const listed = z.nullable(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
  return named(
    'NativeModel',
    z.object({
      name: z.string(),
      version: listed,
      displayName: z.string(),
      description: listed,
      inputTokenLimit: listed,
      outputTokenLimit: listed,
      supportedGenerationMethods: z.nullable(z.array(z.string())),
      baseModelId: z.optional(listed),
      temperature: z.optional(listed),
      topP: z.optional(listed),
      topK: z.optional(listed),
      maxTemperature: z.optional(listed),
      thinking: z.optional(listed),
    }),
    'A model in the form of the native API.',
  )
})

export const nativeModelList = once(() =>
  named(
    'NativeModelList',
    z.object({ models: z.array(nativeModelSchema()), nextPageToken: z.optional(z.nullable(z.string())) }),
    'Models in the form of the native API.',
  ),
)

export const modalityTokens = once(() => z.array(z.object({ modality: z.string(), tokenCount: integer })))

/** An answer, or a part of a streamed one. */
export const generateAnswer = once(() => {
  const part = named(
    'Part',
    z.looseObject({
      text: optionalText,
      inlineData: z.optional(z.looseObject({ mimeType: z.string(), data: z.string() })),
      functionCall: z.optional(z.looseObject({ name: z.string(), args: z.optional(anyObject) })),
      functionResponse: z.optional(z.looseObject({ name: z.string(), response: z.optional(anyObject) })),
      thought: z.optional(z.boolean()),
    }),
    'A part of a turn: a text, data, a call of a function, or its result.',
  )

  const ratings = z.array(
    z.object({ category: z.string(), probability: z.string(), blocked: z.optional(z.boolean()) }),
  )

  const chosen = z.object({ token: z.string(), logProbability: z.number() })

  return named(
    'GenerateAnswer',
    z.object({
      candidates: z.optional(
        z.array(
          z.object({
            content: z.optional(z.object({ parts: z.optional(z.array(part)), role: z.string() })),
            finishReason: optionalText,
            finishMessage: optionalText,
            index: integer,
            safetyRatings: z.optional(ratings),
            avgLogprobs: z.optional(z.number()),
            logprobsResult: z.optional(
              z.object({
                topCandidates: z.array(z.object({ candidates: z.array(chosen) })),
                chosenCandidates: z.array(chosen),
              }),
            ),
          }),
        ),
      ),
      promptFeedback: may(
        z.object({ blockReason: z.string(), safetyRatings: ratings }),
        'If the prompt is blocked.',
      ),
      usageMetadata: z.object({
        promptTokenCount: integer,
        candidatesTokenCount: z.optional(integer),
        totalTokenCount: integer,
        thoughtsTokenCount: z.optional(integer),
        promptTokensDetails: z.optional(modalityTokens()),
        candidatesTokensDetails: z.optional(modalityTokens()),
      }),
      modelVersion: z.string(),
      responseId: z.string(),
    }),
    'An answer, or a part of a streamed one.',
  )
})

import * as z from 'zod/mini'
import type { nativeTextOperations } from '../../engine/operations/text.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { anyObject, gatewayError, integer, optionalText, type ApiSchema } from '../operation-schema.ts'

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

const content = named(
  'Content',
  z.looseObject({
    role: may(z.enum(['user', 'model', 'function']), 'Who speaks. Default user.'),
    parts: z.optional(z.union([part, z.array(part)])),
  }),
  'A turn of a conversation.',
)

const contents = must(z.union([content, z.array(content)]), 'The conversation, oldest turn first.')

const request = named(
  'GenerateRequest',
  z.looseObject({
    contents,
    systemInstruction: z.optional(content),
    generationConfig: may(
      z.looseObject({
        temperature: z.optional(z.number()),
        topP: z.optional(z.number()),
        topK: z.optional(z.number()),
        maxOutputTokens: z.optional(integer),
        candidateCount: z.optional(integer.check(z.minimum(1), z.maximum(8))),
        stopSequences: z.optional(z.array(z.string())),
        responseMimeType: z.optional(z.enum(['text/plain', 'application/json', 'text/x.enum'])),
        responseSchema: z.optional(anyObject),
        responseJsonSchema: z.optional(z.unknown()),
        thinkingConfig: z.optional(anyObject),
        seed: z.optional(z.number()),
      }),
      'How the answer is generated.',
    ),
    tools: z.optional(z.union([anyObject, z.array(anyObject)])),
    toolConfig: z.optional(anyObject),
    safetySettings: z.optional(z.array(anyObject)),
  }),
  'A request for a text.',
)

const modalityTokens = z.array(z.object({ modality: z.string(), tokenCount: integer }))

const ratings = z.array(
  z.object({ category: z.string(), probability: z.string(), blocked: z.optional(z.boolean()) }),
)

const chosen = z.object({ token: z.string(), logProbability: z.number() })

const answer = named(
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
      promptTokensDetails: z.optional(modalityTokens),
    }),
    modelVersion: z.string(),
    responseId: z.string(),
  }),
  'An answer, or a part of a streamed one.',
)

export const nativeError = named(
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
)

const listed = z.nullable(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

export const nativeModel = named(
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

export const nativeModelList = named(
  'NativeModelList',
  z.object({ models: z.array(nativeModel), nextPageToken: z.optional(z.nullable(z.string())) }),
  'Models in the form of the native API.',
)

export const nativePage = {
  pageSize: may(integer, 'How many models a page has.'),
  pageToken: may(z.string(), 'The `nextPageToken` of the page before.'),
}

const embedRequest = named(
  'NativeEmbedRequest',
  z.looseObject({
    model: optionalText,
    content: must(content, 'What is embedded.'),
    outputDimensionality: z.optional(integer.check(z.minimum(1), z.maximum(3072))),
  }),
  'A request for an embedding.',
)

const vector = z.object({ values: z.array(z.number()) })
const embedUsage = z.optional(z.object({ promptTokenCount: integer, promptTokenDetails: modalityTokens }))

export const nativeTextSchemas: ApiSchema<keyof typeof nativeTextOperations> = {
  title: 'Native text',
  description: 'Native text generation, and what belongs to it.',
  error: z.union([gatewayError, nativeError]),
  keys: 'native',
  operations: {
    'text.generate': { summary: 'Generate a text', body: request, answer: { json: answer } },
    'text.stream': {
      summary: 'Generate a text as a stream',
      query: z.object({ alt: may(z.string(), '`sse` for server-sent events.', 'sse') }),
      body: request,
      answer: { json: z.array(z.union([answer, nativeError])), events: z.union([answer, nativeError]) },
    },
    'text.count': {
      summary: 'Count tokens',
      body: named(
        'CountRequest',
        z.looseObject({ contents: z.optional(contents), generateContentRequest: z.optional(anyObject) }),
        'What is counted: a conversation, or a whole request.',
      ),
      answer: { json: z.object({ totalTokens: integer, promptTokensDetails: modalityTokens }) },
    },
    'text.embed': {
      summary: 'Embed a text',
      body: embedRequest,
      answer: { json: z.object({ embedding: vector, usageMetadata: embedUsage }) },
    },
    'text.embed-batch': {
      summary: 'Embed several texts',
      body: z.looseObject({ requests: z.array(embedRequest) }),
      answer: { json: z.object({ embeddings: z.array(vector), usageMetadata: embedUsage }) },
    },
    'text.models': {
      summary: 'List models',
      query: z.object(nativePage),
      answer: { json: nativeModelList },
    },
    'text.model': { summary: 'Get a model', answer: { json: nativeModel } },
  },
}

import * as z from 'zod/mini'
import type { nativeTextApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { maxDimensions } from '../../text/write/embed.ts'
import {
  anyObject,
  constrain,
  filledText,
  gatewayError,
  integer,
  integers,
  jsonSchema,
  notBoth,
  oneOrMore,
  optionalText,
  range,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { roles } from './contents.ts'
import { maxBatch } from './embed.ts'
import { aspectRatios, imageSizes, modalities } from './images.ts'
import {
  functionName,
  levelNames,
  maxCandidates,
  maxFunctions,
  maxSeed,
  maxStops,
  maxTokens,
  modes,
  responseTypes,
} from './request.ts'

const hasSchemaType = {
  properties: { responseMimeType: { enum: responseTypes.filter((type) => type !== 'text/plain') } },
  required: ['responseMimeType'],
}

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

const textPart = z.looseObject({ text: z.string() })

const givenPart = named(
  'GivenPart',
  z.union([
    z.looseObject({ thought: must(z.literal(true), 'A thought of the model, which is not read.') }),
    textPart,
    z.looseObject({ inlineData: z.looseObject({ mimeType: filledText, data: z.string() }) }),
    z.looseObject({ fileData: z.looseObject({ mimeType: optionalText }) }),
    z.looseObject({
      functionCall: z.looseObject({ name: filledText, args: z.optional(anyObject), id: optionalText }),
    }),
    z.looseObject({
      functionResponse: must(
        z.looseObject({ name: filledText, response: z.optional(anyObject), id: optionalText }),
        'After a call of that function.',
      ),
    }),
    z.looseObject({ executableCode: anyObject }),
    z.looseObject({ codeExecutionResult: anyObject }),
  ]),
  'A part of a turn, with exactly one payload.',
)

const content = named(
  'Content',
  z.looseObject({
    role: may(z.enum(roles), 'Who speaks. Default user.'),
    parts: oneOrMore(givenPart),
  }),
  'A turn of a conversation.',
)

const contents = must(oneOrMore(content), 'The conversation, oldest turn first.')

/** A content in which only the texts count. */
const texts = z.looseObject({ parts: oneOrMore(textPart) })

const declared = constrain(
  z.looseObject({
    name: must(z.string().check(z.regex(functionName)), 'No other function has it.'),
    description: optionalText,
    parameters: may(jsonSchema, 'A schema of the native API.'),
    parametersJsonSchema: may(jsonSchema, 'A JSON Schema instead.'),
  }),
  notBoth('parameters', 'parametersJsonSchema'),
)

const tool = z.looseObject({
  functionDeclarations: z.optional(z.array(declared).check(z.maxLength(maxFunctions))),
})

const generationConfig = constrain(
  z.looseObject({
    temperature: z.optional(range(0, 2)),
    topP: z.optional(range(0, 1)),
    topK: z.optional(range(0, 1_000_000)),
    presencePenalty: z.optional(range(-2, 2)),
    frequencyPenalty: z.optional(range(-2, 2)),
    maxOutputTokens: z.optional(integers(1, maxTokens)),
    candidateCount: z.optional(integers(1, maxCandidates)),
    stopSequences: z.optional(z.array(filledText).check(z.maxLength(maxStops))),
    responseMimeType: z.optional(z.enum(responseTypes)),
    responseSchema: may(jsonSchema, 'Only with a `responseMimeType` of JSON or of an enum.'),
    responseJsonSchema: may(jsonSchema, 'A JSON Schema instead.'),
    responseLogprobs: z.optional(z.boolean()),
    logprobs: z.optional(integers(0, 20)),
    thinkingConfig: z.optional(
      z.looseObject({
        includeThoughts: z.optional(z.boolean()),
        thinkingLevel: z.optional(z.enum(levelNames as [string, ...string[]])),
        thinkingBudget: z.optional(integers(-1, maxTokens)),
      }),
    ),
    seed: z.optional(range(-maxSeed, maxSeed)),
    responseModalities: may(
      z.array(z.enum(modalities)).check(z.maxLength(modalities.length)),
      'What the answer is made of: TEXT by default, and an IMAGE. Others are ignored.',
    ),
    imageConfig: may(
      z.looseObject({
        aspectRatio: z.optional(z.enum(aspectRatios)),
        imageSize: z.optional(z.enum(imageSizes)),
      }),
      'The size of an image. Default 1:1 and 1K, which is about a megapixel.',
    ),
  }),
  {
    ...notBoth('responseSchema', 'responseJsonSchema'),
    dependentSchemas: { responseSchema: hasSchemaType, responseJsonSchema: hasSchemaType },
    allOf: [
      {
        not: {
          properties: {
            responseModalities: { contains: { const: 'IMAGE' } },
            candidateCount: { minimum: 2 },
          },
          required: ['responseModalities', 'candidateCount'],
        },
      },
    ],
  },
)

const request = named(
  'GenerateRequest',
  z.looseObject({
    contents,
    systemInstruction: z.optional(texts),
    generationConfig: may(generationConfig, 'How the answer is generated.'),
    tools: z.optional(z.union([tool, z.array(tool)])),
    toolConfig: z.optional(
      z.looseObject({
        functionCallingConfig: z.optional(
          z.looseObject({
            mode: may(z.enum(modes), 'ANY needs functions.'),
            allowedFunctionNames: may(
              z.array(filledText).check(z.maxLength(maxFunctions)),
              'Declared functions.',
            ),
          }),
        ),
      }),
    ),
    safetySettings: z.optional(z.array(anyObject)),
  }),
  'A request for a text. Names may be written in snake case. A field that is null counts as missing.',
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
      candidatesTokensDetails: z.optional(modalityTokens),
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
    model: may(z.unknown(), 'Not read: the path names the model.'),
    content: must(texts, 'What is embedded.'),
    outputDimensionality: z.optional(integers(1, maxDimensions)),
  }),
  'A request for an embedding.',
)

const vector = z.object({ values: z.array(z.number()) })
const embedUsage = z.optional(z.object({ promptTokenCount: integer, promptTokenDetails: modalityTokens }))

export const nativeTextSchemas: ApiSchema<NamesOf<[typeof nativeTextApi]>> = {
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
        z.union([z.looseObject({ generateContentRequest: request }), request]),
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
      body: z.looseObject({
        requests: z.array(embedRequest).check(z.minLength(1), z.maxLength(maxBatch)),
      }),
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

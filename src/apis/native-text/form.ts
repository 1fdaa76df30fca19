import { isObject } from '../../engine/is-object.ts'
import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { may, must, named, refusing } from '../../scenario/schema/fields.ts'
import { maxDimensions } from '../../text/write/embed.ts'
import { maxTokens, tokenLimit } from '../text/openai/shared-form.ts'
import { defineForm, type Form } from '../define/form.ts'
import {
  anyObject,
  constrain,
  filledText,
  integers,
  jsonSchema,
  notBoth,
  optionalText,
  range,
} from '../../scenario/schema/json-values.ts'
import { byGateway, ifMissing, ifNoText, refuseMisfit } from '../text/refuse-misfit.ts'
import { contents, listOrItem, texts } from './contents.ts'

const maxSeed = 2 ** 31
export const maxCandidates = 8
const maxStops = 5
export const maxFunctions = 512
export const maxBatch = 100

const modalities = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MODALITY_UNSPECIFIED'] as const

/** Sizes by ratio; larger ones are multiples. @assumed §2.6 the sizes of images are undocumented; the vendor's page on images. */
export const imageSizes = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '4:5': [896, 1152],
  '5:4': [1152, 896],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
} as const

/** How many times larger an image is, by the name of its size. */
export const imageScales = { '1K': 1, '2K': 2, '4K': 4 } as const

const responseTypes = ['text/plain', 'application/json', 'text/x.enum'] as const
const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) => Object.keys(table) as Name[]

const noName =
  '{field} is {value}: a function\'s name begins with a letter or "_", goes on with letters, digits, "_", ".", ":" ' +
  'or "-", and has at most 128 of them'

const declared = once(() =>
  constrain(
    z
      .object({
        name: must(
          z.string({ error: ifNoText(noName) }).check(z.regex(functionName)),
          'No other function has it.',
        ),
        description: optionalText,
        parameters: may(jsonSchema, 'A schema of the native API.'),
        parametersJsonSchema: may(jsonSchema, 'A JSON Schema instead.'),
      })
      .check(
        refusing(({ parameters: native, parametersJsonSchema: json }) =>
          native !== undefined && json !== undefined
            ? 'only one of {field}.parameters and parametersJsonSchema may be set'
            : undefined,
        ),
      ),
    notBoth('parameters', 'parametersJsonSchema'),
  ),
)

/** A declared function. */
export type DeclaredFunction = z.output<ReturnType<typeof declared>>

/** The vendor's own tools, such as search, are accepted but not used. */
const tool = once(() =>
  z.object({
    functionDeclarations: z.optional(constrain(z.array(declared()), { maxItems: maxFunctions })),
  }),
)

const modality = once(() =>
  z.pipe(
    constrain(filledText, { enum: modalities }),
    z.transform((text, { issues }) => {
      const known = modalities.find((each) => each === text.toUpperCase())
      const message = `{field} must be one of ${modalities.slice(0, 3).join(', ')}, not {value}`
      if (!known) issues.push({ code: 'custom', message, input: text })
      return known ?? 'TEXT'
    }),
  ),
)

const hasSchemaType = {
  properties: { responseMimeType: { enum: responseTypes.filter((type) => type !== 'text/plain') } },
  required: ['responseMimeType'],
}

const generationConfig = once(() =>
  constrain(
    z.object({
      // Sampling parameters have no effect here.
      temperature: z.optional(range(0, 2)),
      topP: z.optional(range(0, 1)),
      topK: z.optional(range(0, 1_000_000)),
      presencePenalty: z.optional(range(-2, 2)),
      frequencyPenalty: z.optional(range(-2, 2)),
      maxOutputTokens: z.optional(tokenLimit(1, 'maxOutputTokens is invalid')),
      logprobs: z.optional(integers(0, 20)),
      responseLogprobs: z.optional(z.boolean()),
      responseMimeType: z.optional(z.enum(responseTypes)),
      responseSchema: may(jsonSchema, 'Only with a `responseMimeType` of JSON or of an enum.'),
      responseJsonSchema: may(jsonSchema, 'A JSON Schema instead.'),
      stopSequences: z.optional(z.array(filledText).check(z.maxLength(maxStops))),
      candidateCount: z.optional(integers(1, maxCandidates)),
      thinkingConfig: z.optional(
        z.object({
          includeThoughts: z.optional(z.boolean()),
          thinkingLevel: z.optional(z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'])),
          thinkingBudget: z.optional(integers(-1, maxTokens)),
        }),
      ),
      seed: z.optional(range(-maxSeed, maxSeed)),
      responseModalities: may(
        z.array(modality()).check(z.maxLength(modalities.length)),
        'What the answer is made of: TEXT by default, and an IMAGE. Others are ignored.',
      ),
      imageConfig: may(
        z.object({
          aspectRatio: z.optional(z.enum(namesOf(imageSizes))),
          imageSize: z.optional(z.enum(namesOf(imageScales))),
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
  ),
)

export type GenerationConfig = z.output<ReturnType<typeof generationConfig>>

/**
 * A native request for a text (§2.6, §4.7).
 * @assumed §4.7 all fields but contents are undocumented; wire §8.2.
 */
export const generateForm = defineForm(
  () =>
    named(
      'GenerateRequest',
      z.object({
        contents: contents(),
        systemInstruction: z.optional(texts()),
        safetySettings: z.optional(z.array(anyObject)),
        generationConfig: may(generationConfig(), 'How the answer is generated.'),
        tools: z.optional(listOrItem(tool())),
        toolConfig: z.optional(
          z.object({
            functionCallingConfig: z.optional(
              z.object({
                mode: may(
                  z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']),
                  'ANY needs functions.',
                ),
                allowedFunctionNames: may(
                  z.array(filledText).check(z.maxLength(maxFunctions)),
                  'Declared functions.',
                ),
              }),
            ),
          }),
        ),
      }),
      'A request for a text. Names may be written in snake case. A field that is null counts as missing.',
    ),
  refuseMisfit,
  { takesSnakeCase: true },
)

export type GenerateBody = z.output<typeof generateForm.schema>

const countRequest = once(() =>
  named(
    'CountRequest',
    z.union([z.object({ generateContentRequest: generateForm.schema }), generateForm.schema]),
    'What is counted: a conversation, or a whole request.',
  ),
)

/** A request to count tokens: contents, or a complete request in `generateContentRequest`. */
export const countForm: Form<typeof generateForm.schema> = {
  takesSnakeCase: true,
  get schema() {
    return countRequest() as never
  },
  read: (body) => generateForm.read(countedRequest(body)),
}

/** The request whose tokens are counted. */
export function countedRequest(body: JsonObject): JsonObject {
  const { generateContentRequest: whole } = body
  return isObject(whole) ? whole : body
}

const embedRequest = once(() =>
  named(
    'NativeEmbedRequest',
    z.object({
      model: may(z.unknown(), 'Not read: the path names the model.'),
      content: must(
        z.object(texts().shape, { error: ifMissing(byGateway('{field} is required')) }),
        'What is embedded.',
      ),
      outputDimensionality: z.optional(integers(1, maxDimensions)),
    }),
    'A request for an embedding.',
  ),
)

export type EmbedBody = z.output<ReturnType<typeof embedRequest>>

export const embedForm = defineForm(embedRequest, refuseMisfit, { takesSnakeCase: true })

const noRequests = byGateway('requests is required')

/** Several texts to embed. */
export const embedBatchForm = defineForm(
  () =>
    z.object({
      requests: z
        .array(embedRequest(), { error: ifMissing(noRequests) })
        .check(z.minLength(1, noRequests), z.maxLength(maxBatch)),
    }),
  refuseMisfit,
  { takesSnakeCase: true },
)

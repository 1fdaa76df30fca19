import * as z from 'zod/mini'
import { integers, withDefault } from '../../../scenario/schema/json-values.ts'
import { abortError, upstreamError } from '../../../gateway/replies/errors.ts'
import type { ListedModel } from '../../define/catalog.ts'
import { defineForm } from '../../define/form.ts'
import { upstreamWords } from './request.ts'

const maxPage = 1_000

/** The page of a list of models. */
export const modelPageForm = defineForm(
  () =>
    z.object({
      pageSize: withDefault(integers(1, 999_999), 50, `How many models a page has, at most ${maxPage}.`),
      pageToken: withDefault(
        z.string().check(z.regex(/^\d{1,6}$/)),
        '0',
        'The `nextPageToken` of the page before.',
      ),
    }),
  ({ field }) =>
    upstreamError(
      400,
      field === 'pageSize'
        ? 'pageSize must be a whole number above 0'
        : 'pageToken is not one that a listing gave',
      upstreamWords(400),
    ),
  { isQuery: true },
)

export type ModelPage = z.output<typeof modelPageForm.schema>

/** A page of the models that a key may use. */
export function nativeList(listed: readonly ListedModel[], { pageSize, pageToken }: ModelPage): object {
  const all = listed.filter(isNative)
  const from = Number(pageToken)
  const end = from + Math.min(pageSize, maxPage)
  const models = all.slice(from, end).map(nativeModel)
  return { models, ...(end < all.length ? { nextPageToken: String(end) } : {}) }
}

/** @throws {GatewayError} for a model that isn't listed. */
export function requireNative(listed: readonly ListedModel[], name: string): ListedModel {
  const known = listed.filter(isNative)
  const model = known.find((each) => each.name === name)
  if (model) return model
  throw abortError(404, `model ${name.slice(0, 200)} is not found`, 'model_not_found').withHint(
    `Listed: ${known.map((each) => each.name).join(', ')}.`,
  )
}

/** Whether the native API can use a model. */
function isNative({ kinds }: ListedModel): boolean {
  return kinds.includes('text') || kinds.includes('embedding')
}

export function nativeModel({ name, kinds }: ListedModel): object {
  const makesTexts = kinds.includes('text')
  return {
    name: `models/${name}`,
    version: '001',
    displayName: name,
    description: makesTexts ? 'A simulated text model.' : 'A simulated embedding model.',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: makesTexts ? 65_536 : 1,
    supportedGenerationMethods: [
      ...(makesTexts ? ['generateContent', 'countTokens'] : []),
      ...(kinds.includes('embedding') ? ['embedContent', 'batchEmbedContents'] : []),
    ],
    ...(makesTexts ? { temperature: 1, topP: 0.95, topK: 64, maxTemperature: 2, thinking: true } : {}),
  }
}

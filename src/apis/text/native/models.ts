import * as z from 'zod/mini'
import type { KeyRecord } from '../../../scenario/vocabulary/types.ts'
import { integers, withDefault } from '../../../scenario/schema/json-values.ts'
import { abortError } from '../../../gateway/replies/errors.ts'
import type { Core } from '../../../gateway/core.ts'
import { isFor, type Catalog, type ListedModel } from '../../define/catalog.ts'
import { defineForm } from '../../define/form.ts'
import { RequestRefused } from '../fields.ts'
import { textSettings } from '../settings.ts'

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
    new RequestRefused(
      field === 'pageSize'
        ? 'pageSize must be a whole number above 0'
        : 'pageToken is not one that a listing gave',
    ),
  { isQuery: true },
)

type ModelPage = z.output<typeof modelPageForm.schema>

export function nativeList(
  { use }: Core,
  { pageSize, pageToken }: ModelPage,
  key: KeyRecord | undefined,
): unknown {
  const all = use(textSettings).catalog.listed.filter((model) => isNative(model) && isFor(key, model))
  const from = Number(pageToken)
  const end = from + Math.min(pageSize, maxPage)
  const models = all.slice(from, end).map(nativeModel)
  return { models, ...(end < all.length ? { nextPageToken: String(end) } : {}) }
}

/** @throws {GatewayError} for a model that isn't listed. */
export function requireNative({ listed }: Catalog, name: string): ListedModel {
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

export function nativeModel({ name, kinds }: ListedModel): unknown {
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

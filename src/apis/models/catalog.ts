import type { Catalog, ListedModel } from '../define/catalog.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type { ModelKind } from '../../scenario/vocabulary/types.ts'

/** @assumed §8 these names are undocumented; wire §9.3. */
const typesByKind: Readonly<Record<ModelKind, readonly string[]>> = {
  text: ['openai', 'openai-response', 'anthropic', 'gemini'],
  embedding: ['embeddings'],
  video: ['openai-video'],
  drawing: ['image-generation'],
}

/** The endpoints of a model, in the gateway's names. */
export function endpointTypes({ kinds }: ListedModel): string[] {
  return kinds.flatMap((kind) => typesByKind[kind])
}

/** The creation time of all models, in Unix seconds. */
export const createdAt = 1_626_777_600

/** A model in the form of OpenAI's API. */
export function openaiModel(model: ListedModel): Record<string, unknown> {
  return {
    id: model.name,
    object: 'model',
    created: createdAt,
    owned_by: 'custom',
    supported_endpoint_types: endpointTypes(model),
  }
}

/** @assumed §7 the answer to an unknown model is undocumented; wire §9.3, but with 404: there, it is 200. */
export function requireListed({ listed }: Catalog, model: string): ListedModel {
  const known = listed.find(({ name }) => name === model)
  if (known) return known
  const message = `The model '${model.slice(0, 200)}' does not exist`
  throw new GatewayError(404, message, () => ({
    error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  }))
}

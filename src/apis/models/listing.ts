import type { ListedModel, ModelKind } from './catalog.ts'

/** @assumed §8 these names are not shown; wire §9.3. */
const typesByKind: Readonly<Record<ModelKind, readonly string[]>> = {
  text: ['openai', 'gemini'],
  embedding: ['embeddings'],
  video: ['openai-video'],
  drawing: ['image-generation'],
}

/** Through which endpoints a model can be asked, in the gateway's names. */
export function endpointTypes({ kinds }: ListedModel): string[] {
  return kinds.flatMap((kind) => typesByKind[kind])
}

/** A model as OpenAI's clients read it. */
export function openaiModel(model: ListedModel): Record<string, unknown> {
  return {
    id: model.name,
    object: 'model',
    created: 1_626_777_600,
    owned_by: 'custom',
    supported_endpoint_types: endpointTypes(model),
  }
}

import type { OperationFacts } from './facts.ts'

/** Native text generation (§4.7, §4.8), and what belongs to it: counting, embedding, listing. */
export const nativeTextOperations = {
  'text.generate': ofModel('text', 'generateContent'),
  'text.stream': ofModel('text', 'streamGenerateContent'),
  'text.count': ofModel('read', 'countTokens'),
  'text.embed': ofModel('read', 'embedContent'),
  'text.embed-batch': ofModel('read', 'batchEmbedContents'),
  'text.models': { kind: 'read', route: 'GET /v1beta/models' },
  'text.model': {
    kind: 'read',
    route: 'GET /v1beta/models/{model}',
    aliases: ['/v1beta/models/models/{model}'],
  },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** Chat completions (§4.9). */
export const chatOperations = {
  'chat.complete': { kind: 'text', route: 'POST /v1/chat/completions' },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** OpenAI's Embeddings API, over the same vectors as the native one. */
export const embeddingOperations = {
  'embeddings.create': { kind: 'read', route: 'POST /v1/embeddings' },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** OpenAI's Responses API, over the same texts as chats. */
export const responseOperations = {
  'responses.create': { kind: 'text', route: 'POST /v1/responses' },
  'responses.retrieve': { kind: 'read', route: 'GET /v1/responses/{response_id}' },
  'responses.input-items': { kind: 'read', route: 'GET /v1/responses/{response_id}/input_items' },
  'responses.delete': { kind: 'change', route: 'DELETE /v1/responses/{response_id}' },
} as const satisfies Readonly<Record<string, OperationFacts>>

/** Models and prices (§8). */
export const modelOperations = {
  'models.list': { kind: 'read', route: 'GET /v1/models', aliases: ['/v1beta/openai/models'] },
  'models.get': { kind: 'read', route: 'GET /v1/models/{model}', aliases: ['/v1beta/openai/models/{model}'] },
  'models.prices': { kind: 'read', route: 'GET /api/pricing', access: 'public' },
} as const satisfies Readonly<Record<string, OperationFacts>>

/**
 * An action on a model.
 * @assumed §9 the alias below /v1 is undocumented; wire §8.1. Some clients write `models/` twice.
 */
function ofModel(kind: OperationFacts['kind'], action: string): OperationFacts {
  return {
    kind,
    route: `POST /v1beta/models/{model}:${action}`,
    aliases: [`/v1/models/{model}:${action}`, `/v1beta/models/models/{model}:${action}`],
  }
}

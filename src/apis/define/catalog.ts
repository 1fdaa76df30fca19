import type { KeyRecord, ModelKind } from '../../scenario/vocabulary/types.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Core } from '../../gateway/core.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { abortError } from '../../gateway/replies/errors.ts'
import { allowsModel } from '../../gateway/accounts/keys.ts'

/** What models make, also if no API that is served makes it. */
export type ModelOutput = ModelKind | 'text' | 'embedding' | 'video' | 'drawing'

/** One model of a listing. */
export interface ListedModel {
  readonly name: string
  readonly kinds: readonly ModelOutput[]
}

/** The models of a gateway. */
export interface Catalog {
  readonly listed: readonly ListedModel[]
  /** Whether names that aren't listed are also accepted. */
  readonly isOpen: boolean
}

/**
 * The listing if no models are configured. All other names are accepted as well.
 * @assumed §2.6 the names of models are undocumented; names of our own, and one that an SDK of the vendor knows.
 */
const openList: readonly ListedModel[] = [
  { name: 'sim-text-1', kinds: ['text'] },
  { name: 'sim-text-1-mini', kinds: ['text'] },
  { name: 'sim-embedding-1', kinds: ['embedding'] },
  { name: 'video-1', kinds: ['video'] },
  { name: 'sora-2', kinds: ['video'] },
  { name: 'mj_imagine', kinds: ['drawing'] },
]

/** The models of a simulator. A configured one without a `kind` has every kind of output. */
export function modelCatalog({ options: { models = [] } }: Core): Catalog {
  if (models.length === 0) return { listed: openList, isOpen: true }
  const listed = models.map(({ name, kind }) => ({ name, kinds: kindsOfModel(name, kind) }))
  return { listed, isOpen: false }
}

/** The kinds of a model's output: its `kind`. Without one, its name decides: drawings, or every kind (wire §2.4). */
export function kindsOfModel(name: string, kind: ModelOutput | undefined): readonly ModelOutput[] {
  if (kind !== undefined) return [kind]
  return name.startsWith('mj_') ? ['drawing'] : ['text', 'video', 'embedding', 'drawing']
}

/**
 * Checks that there is a model for texts, for embeddings, or for drawings.
 *
 * @assumed §7 the answer to an unknown model is undocumented; wire §2.2.
 * @throws {GatewayError} for one that isn't there.
 */
export function requireModel(
  { listed, isOpen }: Catalog,
  model: string,
  kind: Exclude<ModelOutput, 'video'>,
): void {
  const known = listed.find(({ name }) => name === model)
  if (known ? known.kinds.includes(kind) : isOpen) return
  const names = listed.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name)
  const others =
    names.length === 0 ? `No model for ${kind} is configured.` : `Models for ${kind}: ${names.join(', ')}.`
  const message = `No available channel for model ${model.slice(0, 200)} under group default (distributor)`
  const error = abortError(503, message, 'model_not_found')
  if (!known) throw error.withHint(others)
  throw error.withAdvice(`${model} is a model for ${known.kinds.join(' and ')}. ${others}`)
}

/** Whether a key may use a model. */
export function isFor(key: KeyRecord | undefined, { name }: ListedModel): boolean {
  return !key || allowsModel(key, name)
}

/** Longer names are invalid, because they would use memory with each task. */
export const maxModelNameLength = 256

/**
 * The model in a body.
 * @assumed §7 the answers to a missing model, and to one that is no string, are undocumented; wire §2.2.
 * @throws {GatewayError}
 */
export function requireModelName(value: JsonValue | undefined): string {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw abortError(400, 'Invalid request: Invalid request: field model must be a string')
  }
  if (!value) throw abortError(400, 'Model name not specified, model name cannot be empty')
  if (value.length > maxModelNameLength) {
    const problem = `field model has ${value.length} characters, at most ${maxModelNameLength} are taken`
    throw abortError(400, `Invalid request: Invalid request: ${problem}`)
  }
  return value
}

/** The model that a body names. @throws {GatewayError} for a request without one. */
export function modelInBody({ body }: Pick<Exchange, 'body'>): string {
  return requireModelName(body['model'])
}

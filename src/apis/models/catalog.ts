import { abortError, type GatewayError } from '../../gateway/replies/errors.ts'
import { allowsModel, type KeyRecord } from '../../gateway/accounts/keys.ts'

/** What a model makes. */
export const modelKinds = ['video', 'text', 'embedding', 'drawing'] as const

export type ModelKind = (typeof modelKinds)[number]

/** One model of a listing. */
export interface ListedModel {
  readonly name: string
  readonly kinds: readonly ModelKind[]
}

/** Which models there are. */
export interface Catalog {
  readonly listed: readonly ListedModel[]
  /** Whether names that aren't listed are taken too. */
  readonly isOpen: boolean
}

/**
 * What is listed where no models are configured; every other name is taken as well.
 * @assumed §2.6 the names of models are not shown.
 */
const openList: readonly ListedModel[] = [
  { name: 'sim-text-1', kinds: ['text'] },
  { name: 'sim-text-1-mini', kinds: ['text'] },
  { name: 'sim-embedding-1', kinds: ['embedding'] },
  { name: 'video-1', kinds: ['video'] },
  { name: 'sora-2', kinds: ['video'] },
  { name: 'mj_imagine', kinds: ['drawing'] },
]

/** @param models the configured ones; a model without a `kind` makes anything. */
export function catalogOf(models: readonly { name: string; kind?: ModelKind }[] | undefined): Catalog {
  if (!models || models.length === 0) return { listed: openList, isOpen: true }
  const listed = models.map(({ name, kind }) => ({ name, kinds: kindsOf(name, kind) }))
  return { listed, isOpen: false }
}

/** What a model makes, by its `kind`, or else by its name: those of drawing models say what they are (wire §2.4). */
export function kindsOf(name: string, kind: ModelKind | undefined): readonly ModelKind[] {
  if (kind !== undefined) return [kind]
  return /^(?:mj_|swap_face$)/.test(name) ? ['drawing'] : ['text', 'video', 'embedding']
}

/**
 * Whether a model can be asked for texts, or for embeddings.
 *
 * @assumed §7 the answer to an unknown model is not shown; wire §2.2.
 * @throws {GatewayError} for one that isn't there.
 */
export function requireModel({ listed, isOpen }: Catalog, model: string, kind: 'text' | 'embedding'): void {
  if (isOpen || listed.some(({ name, kinds }) => name === model && kinds.includes(kind))) return
  throw unknownModel(
    model,
    listed.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name),
  )
}

function unknownModel(model: string, known: readonly string[]): GatewayError {
  const message = `No available channel for model ${model.slice(0, 200)} under group default (distributor)`
  const hint = known.length === 0 ? 'None is configured for this.' : `Configured: ${known.join(', ')}.`
  return abortError(503, message, 'model_not_found').withHint(hint)
}

/** Whether a key may ask for a model. */
export function isFor(key: KeyRecord | undefined, { name }: ListedModel): boolean {
  return !key || allowsModel(key, name)
}

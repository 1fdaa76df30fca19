import * as z from 'zod/mini'
import { type Change, type Snapshot, StateError } from '../../control/state.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import { version } from '../../version.ts'
import { describeOtherApi, type ApiVersions } from './api-versions.ts'
import { fields, list, readStored } from './parts.ts'
import type { State } from './state.ts'
import { amendmentsSchema } from './task-parts.ts'

/** Increase it when an older greenroom can't read the new format. */
const snapshotVersion = 3

/** How many values are checked before other work gets a turn, and how many go into one piece of text. */
const valuesInTurn = 500

/** What a snapshot is of. */
interface SnapshotSource {
  readonly seed: string
  /** The only namespace; undefined for all. */
  readonly namespace: string | undefined
  /** The versions of the APIs of users, by name. */
  readonly apiVersions: ApiVersions
}

/** The state of a simulator, or of one namespace, as a document. */
export function snapshotOf(state: State, source: SnapshotSource): Snapshot {
  const { namespace } = source
  return { ...headOf(source), state: [...state.values(namespace)] }
}

function headOf({ seed, namespace, apiVersions }: SnapshotSource): Omit<Snapshot, 'state'> {
  return {
    greenroom: 'snapshot',
    version: snapshotVersion,
    made: version,
    seed,
    ...(namespace !== undefined && { namespace }),
    ...(Object.keys(apiVersions).length > 0 && { apis: apiVersions }),
  }
}

/** Like {@link snapshotOf}, as pieces of JSON. They all show one instant, but other work gets turns. */
export async function snapshotText(state: State, source: SnapshotSource): Promise<Iterable<string>> {
  return toText(headOf(source), await state.valuesInTurns(source.namespace))
}

function* toText(head: Omit<Snapshot, 'state'>, values: Iterable<Change>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"state":[`
  let piece: Change[] = []
  let comma = ''
  for (const value of values) {
    if (piece.push(value) < valuesInTurn) continue
    yield comma + JSON.stringify(piece).slice(1, -1)
    comma = ','
    piece = []
  }
  yield `${piece.length > 0 ? comma + JSON.stringify(piece).slice(1, -1) : ''}]}`
}

/** Checks a document against this simulator. */
interface SnapshotReader {
  readonly state: State
  readonly seed: string
  readonly apiVersions: ApiVersions
  /** The only namespace that may be restored; undefined for all. */
  readonly namespace: string | undefined
  readonly lifecycleOf: (name: string) => Lifecycle | undefined
  /** Why a task may not be restored; undefined if it may. */
  readonly refuse: (record: TaskRecord, amendments: readonly unknown[]) => string | undefined
}

/** A document whose values can be written. */
export interface CheckedSnapshot {
  /** Set if the document contains one namespace. */
  readonly namespace: string | undefined
  readonly changes: readonly Change[]
}

const headSchema = z.object({
  seed: z.string(),
  namespace: z.optional(z.string()),
  apis: z.optional(fields),
  state: list,
})

/**
 * Checks a document from its first value to its last, without effects. Other work may get a turn at each step.
 * @throws {StateError} for the first invalid value, and for a document with another seed or namespace.
 */
export function* readSnapshot(value: unknown, reader: SnapshotReader): Generator<void, CheckedSnapshot> {
  const document = readStored(fields, value, 'The snapshot')
  if (document['greenroom'] !== 'snapshot') {
    throw new StateError('The document is not a snapshot: send the response of GET /_greenroom/snapshot.')
  }
  if (document['version'] !== snapshotVersion) {
    throw new StateError(
      `The snapshot has version ${JSON.stringify(document['version'])}, while this greenroom reads ${snapshotVersion}. ` +
        'Take a new snapshot.',
    )
  }
  const { seed, namespace, apis = {}, state: values } = readStored(headSchema, value, 'The snapshot')
  if (seed !== reader.seed) {
    throw new StateError(
      `The snapshot was made with seed "${seed}", while this simulator has "${reader.seed}": its ids and random ` +
        `draws would not fit. Start with --seed ${seed}.`,
    )
  }
  if (reader.namespace !== undefined && namespace !== reader.namespace) {
    const of = namespace === undefined ? 'of all namespaces' : `of namespace "${namespace}"`
    throw new StateError(
      `The snapshot is ${of}: it can't be restored in "${reader.namespace}", whose ids differ.`,
    )
  }
  checkApis(apis, reader.apiVersions, values)
  const changes: Change[] = []
  for (const each of values) {
    changes.push(reader.state.check(each, `state[${changes.length}]`))
    if (changes.length % valuesInTurn === 0) yield
  }
  yield* checkTogether(changes, namespace, reader)
  return { namespace, changes }
}

/** @throws {StateError} for jobs of an API that is not served, or whose definition has another version. */
function checkApis(
  saved: Readonly<Record<string, unknown>>,
  versions: ApiVersions,
  state: readonly unknown[],
): void {
  const tasks = (): unknown[] =>
    state.flatMap((each) => (Array.isArray(each) && each[0] === 'task' ? [each[2]] : []))
  const other = describeOtherApi(saved, versions, tasks)
  if (other !== undefined)
    throw new StateError(`The snapshot ${other}. Start with its definition: apis, or --api.`)
}

/** Checks values that depend on others: their namespace and their task must exist. */
function* checkTogether(
  changes: readonly Change[],
  namespace: string | undefined,
  { lifecycleOf, refuse }: SnapshotReader,
): Generator<void, void> {
  const records = new Map<string, TaskRecord>()
  const amendments = new Map<string, readonly unknown[]>()
  for (const [index, [part, names, value]] of changes.entries()) {
    if (index % valuesInTurn === 0) yield
    const path = `state[${index}]`
    const isShared = part === 'rule' || part === 'limit'
    if (namespace !== undefined && (isShared || names[0] !== namespace)) {
      throw new StateError(`${path} is not of namespace "${namespace}"`)
    }
    const id = names[1]!
    if (part === 'task') records.set(id, (value as { record: TaskRecord }).record)
    if (part !== 'amended' && part !== 'look') continue
    const record = records.get(id)
    if (record?.namespace !== names[0])
      throw new StateError(`${path} is about task "${id}", which is not listed before it`)
    if (part === 'look') continue
    amendments.set(id, readStored(amendmentsSchema(lifecycleOf(record!.lifecycle)), value, path))
  }
  let checked = 0
  for (const [id, record] of records) {
    if (++checked % valuesInTurn === 0) yield
    const reason = refuse(record, amendments.get(id) ?? [])
    if (reason !== undefined) throw new StateError(`Task "${id}" ${reason}`)
  }
}

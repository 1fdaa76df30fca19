import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import type { TaskRecord } from '../engine/tasks/plan.ts'
import { version } from '../version.ts'
import { fieldsOf, listOf, textOf } from './shape.ts'
import type { Change, State } from './state.ts'
import { StateError } from './state-error.ts'
import { checkAmendments } from './task-shape.ts'

/** Raised when an older greenroom couldn't read what a newer one wrote. */
export const stateVersion = 1

/**
 * All that a simulator, or one of its namespaces, has to know to go on, as one document.
 *
 * @example
 * await client.submitVideo('a red kite')
 * const snapshot: Snapshot = sim.snapshot()
 * snapshot // → { greenroom: 'snapshot', seed: '1', namespace: 'default', … }
 */
export interface Snapshot {
  readonly greenroom: 'snapshot'
  readonly version: number
  /** The greenroom that made it. */
  readonly made: string
  readonly seed: string
  /** Set where it is of one namespace. */
  readonly namespace?: string
  /** Values by part and names. */
  readonly state: readonly Change[]
}

/** What a document is read against. */
export interface SnapshotReader {
  readonly state: State
  readonly seed: string
  /** The only namespace that may be touched; all of them where it is left out. */
  readonly namespace: string | undefined
  readonly lifecycleOf: (name: string) => Lifecycle | undefined
  /** Why a task may not be taken over; undefined when it may. */
  readonly refuse: (record: TaskRecord, amendments: readonly unknown[]) => string | undefined
}

/** Writes down what there is, of one namespace or of all. */
export function snapshotOf(state: State, seed: string, namespace: string | undefined): Snapshot {
  return { ...headOf(seed, namespace), state: [...state.values(namespace)] }
}

function headOf(seed: string, namespace: string | undefined): Omit<Snapshot, 'state'> {
  return {
    greenroom: 'snapshot',
    version: stateVersion,
    made: version,
    seed,
    ...(namespace !== undefined && { namespace }),
  }
}

/** So many values are written in one piece. */
const valuesInPiece = 500

/**
 * As {@link snapshotOf}, as JSON in pieces. All of it is of one instant, however long it takes to read and to write; others
 * have their turn meanwhile.
 */
export async function snapshotText(
  state: State,
  seed: string,
  namespace: string | undefined,
): Promise<Iterable<string>> {
  const values = await state.valuesInTurns(namespace)
  return written(headOf(seed, namespace), values)
}

function* written(head: Omit<Snapshot, 'state'>, values: Iterable<Change>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"state":[`
  let piece: Change[] = []
  let comma = ''
  for (const value of values) {
    if (piece.push(value) < valuesInPiece) continue
    yield comma + JSON.stringify(piece).slice(1, -1)
    comma = ','
    piece = []
  }
  yield `${piece.length > 0 ? comma + JSON.stringify(piece).slice(1, -1) : ''}]}`
}

/** So many values are checked before others may have their turn: a few milliseconds. */
const valuesInTurn = 500

/** A document that may be written. */
export interface CheckedSnapshot {
  /** Where it is of one. */
  readonly namespace: string | undefined
  readonly changes: readonly Change[]
}

/**
 * Checks a document from its first value to its last, and changes nothing. Between two steps others may have their turn.
 * @throws {StateError} for the first value that can't be, and for a document of another seed or namespace.
 */
export function* readSnapshot(value: unknown, reader: SnapshotReader): Generator<void, CheckedSnapshot> {
  const document = fieldsOf(value, 'The snapshot')
  if (document['greenroom'] !== 'snapshot') {
    throw new StateError('The document is no snapshot: send what GET /_greenroom/snapshot answered.')
  }
  if (document['version'] !== stateVersion) {
    throw new StateError(
      `The snapshot has version ${JSON.stringify(document['version'])}, while this greenroom reads ${stateVersion}. ` +
        'Take it anew.',
    )
  }
  const seed = textOf(document['seed'], 'seed')
  if (seed !== reader.seed) {
    throw new StateError(
      `The snapshot was made with seed "${seed}", while this simulator has "${reader.seed}": its ids and dice ` +
        `would not fit. Start with --seed ${seed}.`,
    )
  }
  const namespace =
    document['namespace'] === undefined ? undefined : textOf(document['namespace'], 'namespace')
  if (reader.namespace !== undefined && namespace !== reader.namespace) {
    const of = namespace === undefined ? 'of all namespaces' : `of namespace "${namespace}"`
    throw new StateError(
      `The snapshot is ${of}: it can't be restored in "${reader.namespace}", whose ids differ.`,
    )
  }
  const changes: Change[] = []
  for (const each of listOf(document['state'], 'state')) {
    changes.push(reader.state.check(each, `state[${changes.length}]`))
    if (changes.length % valuesInTurn === 0) yield
  }
  yield* checkTogether(changes, namespace, reader)
  return { namespace, changes }
}

/** What can only be seen of all values together: whose a value is, and what happened to a task of which lifecycle. */
function* checkTogether(
  changes: readonly Change[],
  namespace: string | undefined,
  { lifecycleOf, refuse }: SnapshotReader,
): Generator<void, void> {
  const records = new Map<string, TaskRecord>()
  const amendments = new Map<string, readonly unknown[]>()
  for (const [index, [part, names, value]] of changes.entries()) {
    if (index % valuesInTurn === 0) yield
    const where = `state[${index}]`
    if (part === 'cleared' || value === undefined) throw new StateError(`${where} has no value`)
    if (part === 'task') records.set(names[0]!, (value as { record: TaskRecord }).record)
    const record = records.get(names[0]!)
    const isOfTask = part === 'task' || part === 'amended' || part === 'look'
    if (isOfTask && !record)
      throw new StateError(`${where} is about task "${names[0]}", which isn't in front of it`)
    if (part === 'amended') {
      checkAmendments(value, where, lifecycleOf(record!.lifecycle))
      amendments.set(names[0]!, value as readonly unknown[])
    }
    const home = isOfTask ? record!.namespace : names[0]!
    const isShared = part === 'rule' || part === 'limit'
    if (namespace !== undefined && (isShared || home !== namespace)) {
      throw new StateError(`${where} is not of namespace "${namespace}"`)
    }
  }
  let tasks = 0
  for (const [id, record] of records) {
    if (++tasks % valuesInTurn === 0) yield
    const reason = refuse(record, amendments.get(id) ?? [])
    if (reason !== undefined) throw new StateError(`Task "${id}" ${reason}`)
  }
}

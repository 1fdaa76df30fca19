import { shippedOperations } from '../../src/apis/index.ts'
import type { OperationTable } from '../../src/engine/operations/operation-table.ts'
import type { Expect, JournalEntry } from '../../src/index.ts'
import type { InvariantReport } from '../../src/judge/invariants/invariant.ts'
import type { InvariantName } from '../../src/index.ts'
import { isSubmission } from '../../src/judge/exchanges.ts'
import type { InjectionPlace } from '../../src/judge/runs/places.ts'
import { createWatch } from '../../src/judge/judge.ts'
import { openFields, type Watch } from '../../src/judge/watch.ts'

export const start = Date.UTC(2030, 0, 1)

/** What a made-up exchange is about; the rest is as usual. `atMs` counts from the start, on both clocks. */
export interface Made extends Partial<Omit<JournalEntry, 'number' | 'at' | 'reasons'>> {
  atMs?: number
  /** How long its answer takes; null while it is under way. */
  takesMs?: number | null
}

/** The place that fits. One of an API that is removed is empty: tests that use it are skipped. */
export function placeOf(
  places: readonly InjectionPlace[],
  fits: (place: InjectionPlace) => boolean,
): InjectionPlace {
  return places.find(fits) ?? ({} as InjectionPlace)
}

/** A journal made by hand, and a watch that follows it. */
export class Story {
  readonly watch: Watch
  #number = 0
  #atMs = 0
  readonly entries: JournalEntry[] = []

  readonly operations: OperationTable

  constructor(expect: Expect = {}, operations = shippedOperations) {
    this.operations = operations
    this.watch = createWatch(expect, operations)
  }

  /** Lets a request come and its answer go. */
  add(made: Made): JournalEntry {
    const { takesMs = 0 } = made
    const entry = this.open(made)
    if (takesMs !== null) this.settle(entry, made, takesMs)
    return entry
  }

  /** Lets a request come whose answer is still under way. */
  open({ atMs = this.#atMs, takesMs: _takesMs, ...fields }: Made): JournalEntry {
    this.#atMs = atMs
    const { operation = 'video.poll', task = null, method = methodOf(operation), key = 'sk-test' } = fields
    const role = this.operations.roleOf(operation)
    const entry: JournalEntry = {
      number: ++this.#number,
      at: start + atMs,
      wallAt: start + atMs,
      transport: 'direct',
      operation,
      role,
      kind: this.operations.find(operation)?.tasks ?? null,
      method,
      path: `/${operation}/${task ?? ''}`,
      namespace: 'default',
      key,
      keyHash: key === '' ? '' : `hash of ${key}`,
      requestId: '',
      task,
      status: 200,
      rules: [],
      delayMs: 0,
      quota: isSubmission({ role }) ? 40_000 : 0,
      reportedStatus: null,
      model: null,
      prompt: null,
      identity: `${method} ${operation} ${method === 'GET' ? task : ''}`,
      authorized: true,
      parent: null,
      final: fields.reportedStatus === 'SUCCESS' || fields.reportedStatus === 'FAILURE',
      retryAfterMs: null,
      assumed: false,
      timing: 'virtual',
      fault: null,
      hint: null,
      ...fields,
      ...openFields,
      reasons: () => [],
    }
    this.entries.push(entry)
    this.watch.admitted(entry)
    return entry
  }

  settle(entry: JournalEntry, made: Made = {}, takesMs = 0): void {
    const {
      outcome = 'completed',
      bytes = 10,
      content = outcome === 'completed' ? 'complete' : 'partial',
    } = made
    const { stream = null, approximated = false } = made
    const settledAt = entry.at + takesMs
    const settledBefore = this.#number + 1
    Object.assign(entry, { outcome, bytes, content, stream, approximated, settledAt, settledBefore })
    entry.firstByteAt = made.firstByteAt ?? entry.at
    this.watch.settled(entry)
  }

  invariant(name: InvariantName): InvariantReport {
    return this.watch.invariants().find((report) => report.name === name)!
  }
}

function methodOf(operation: string | null): string {
  return /poll|fetch|content|image|retrieve/.test(operation ?? '') ? 'GET' : 'POST'
}

/** Plays a story and returns the report of an invariant. */
export function reportFor(
  name: InvariantName,
  exchanges: readonly Made[],
  expect: Expect = {},
  operations = shippedOperations,
): InvariantReport {
  const story = new Story(expect, operations)
  for (const made of exchanges) story.add(made)
  return story.invariant(name)
}

export const submit = (more: Made = {}): Made => ({
  operation: 'video.submit',
  task: 'task_1',
  identity: 'kite',
  ...more,
})
export const poll = (reportedStatus: string | null, more: Made = {}): Made => ({
  operation: 'video.poll',
  task: 'task_1',
  reportedStatus,
  ...more,
})
export const content = (more: Made = {}): Made => ({
  operation: 'video.content',
  task: 'task_1',
  final: true,
  bytes: 1000,
  ...more,
})
export const chat = (more: Made = {}): Made => ({ operation: 'chat.complete', identity: 'hello', ...more })

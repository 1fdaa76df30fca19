import { expect, it } from 'vitest'
import { createEntry, Journal, noteSettlement, type JournalEntry } from '../../src/gateway/journal.ts'

const append = (journal: Journal, change: Partial<JournalEntry> = {}): void =>
  journal.append({
    number: journal.nextNumber,
    operation: 'video.poll',
    status: 200,
    ...change,
  } as JournalEntry)

it('forgets the oldest when it is full, and keeps counting', () => {
  const journal = new Journal(3)
  for (let count = 0; count < 5; count++) append(journal)
  expect(journal.entries().map(({ number }) => number)).toEqual([3, 4, 5])
  expect(journal.nextNumber).toBe(6)
})

it('finds the latest entries that match a filter', () => {
  const journal = new Journal(10)
  append(journal, { status: 401 })
  append(journal, { task: 'a' })
  append(journal, { task: 'b', operation: 'video.content' })
  append(journal, { task: 'a' })
  const numbers = (filter: Parameters<Journal['entries']>[0]): number[] =>
    journal.entries(filter).map(({ number }) => number)
  expect(numbers({ status: 401 })).toEqual([1])
  expect(numbers({ task: 'a' })).toEqual([2, 4])
  expect(numbers({ operation: 'video.content', task: 'b' })).toEqual([3])
  expect(numbers({ last: 2 })).toEqual([3, 4])
})

it('counts on after it was cleared', () => {
  const journal = new Journal(2)
  for (let count = 0; count < 3; count++) append(journal)
  journal.clear()
  append(journal)
  expect(journal.entries().map(({ number }) => number)).toEqual([4])
})

it('notes of a response in one piece whether it arrived, and when its first byte did', () => {
  const settled = (outcome: 'completed' | 'aborted', bytes: number): unknown => {
    const entry = { firstByteAt: null } as JournalEntry
    noteSettlement(entry, 1_000, outcome, bytes)
    return [entry.outcome, entry.content, entry.settledAt, entry.firstByteAt]
  }
  expect(settled('completed', 5)).toEqual(['completed', 'complete', 1_000, 1_000])
  expect(settled('completed', 0)).toEqual(['completed', 'complete', 1_000, null])
  expect(settled('aborted', 5)).toEqual(['aborted', 'partial', 1_000, 1_000])
})

it('selects entries by operation, outcome and pattern, and entries without an operation by none', () => {
  const journal = new Journal(10)
  append(journal, { operation: null, outcome: 'completed' })
  append(journal, { operation: 'video.submit', outcome: 'aborted' })
  append(journal, { operation: 'video.poll', outcome: 'completed' })
  const numbers = (filter: Parameters<Journal['entries']>[0]): number[] =>
    journal.entries(filter).map(({ number }) => number)
  expect(numbers({ operation: 'video.*' })).toEqual([2, 3])
  expect(numbers({ operation: '*' })).toEqual([1, 2, 3])
  expect(numbers({ outcome: 'completed' })).toEqual([1, 3])
  expect([numbers({ last: 0 }), numbers({ last: 3 }), numbers({ last: 9 })]).toEqual([
    [],
    [1, 2, 3],
    [1, 2, 3],
  ])
})

it('tells listeners of each entry twice, and of the end of all, until they unsubscribe', () => {
  const journal = new Journal(2)
  const heard: string[] = []
  const stop = journal.subscribe((entry, what, sent) =>
    heard.push(`${entry.number} ${what} ${sent?.().query}`),
  )
  const stopClear = journal.onClear(() => heard.push('cleared'))
  const entry = { number: 1 } as JournalEntry
  journal.append(entry, () => ({ body: undefined, header: () => '', query: 'a=1' }))
  append(journal)
  journal.settled(entry)
  journal.clear()
  expect(heard).toEqual(['1 admitted a=1', '2 admitted undefined', '1 settled undefined', 'cleared'])
  expect(entry.settledBefore).toBe(3)
  stop()
  stopClear()
  append(journal)
  journal.clear()
  expect(heard).toHaveLength(4)
})

it('goes round several times', () => {
  const journal = new Journal(3)
  for (let count = 1; count <= 10; count++) {
    append(journal)
    const first = Math.max(1, count - 2)
    const expected = Array.from({ length: count - first + 1 }, (_, index) => first + index)
    expect(journal.entries().map(({ number }) => number)).toEqual(expected)
  }
})

it('begins an entry with the start of long texts', () => {
  const start = { path: '/'.repeat(301), model: 'm'.repeat(101), prompt: 'p'.repeat(201), number: 7 }
  const entry = createEntry(start as Parameters<typeof createEntry>[0])
  expect(entry).toMatchObject({
    number: 7,
    path: '/'.repeat(300),
    model: 'm'.repeat(100),
    prompt: 'p'.repeat(200),
    task: null,
    status: 0,
    rules: [],
    delayMs: 0,
    quota: 0,
    reportedStatus: null,
    hint: null,
    outcome: 'open',
    bytes: 0,
    parent: null,
    final: false,
    retryAfterMs: null,
    fault: null,
    approximated: false,
    content: null,
    stream: null,
    firstByteAt: null,
    settledAt: null,
    settledBefore: null,
  })
  expect([entry.reasons(), Math.abs(entry.wallAt - Date.now()) < 60_000]).toEqual([[], true])
  expect(
    createEntry({ ...start, model: null, prompt: null } as Parameters<typeof createEntry>[0]),
  ).toMatchObject({
    model: null,
    prompt: null,
  })
})

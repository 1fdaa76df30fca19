import { expect, it } from 'vitest'
import { Journal, noteSettlement, type JournalEntry } from '../../src/gateway/journal.ts'

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

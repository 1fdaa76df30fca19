import { expect, it } from 'vitest'
import type { JournalEntry } from '../../src/gateway/journal.ts'
import { Traffic } from '../../src/gateway/traffic.ts'

it('counts responses by operation, status and outcome, and the faults among them', () => {
  const traffic = new Traffic()
  const count = (change: Partial<JournalEntry>): void =>
    traffic.count({
      operation: 'video.poll',
      status: 200,
      outcome: 'completed',
      fault: null,
      ...change,
    } as JournalEntry)
  count({})
  count({})
  count({ status: 0, outcome: 'aborted', fault: 'reset' })
  count({ operation: null, status: 404 })
  count({ fault: 'reset' })
  expect([...traffic.responses()]).toEqual([
    { operation: 'video.poll', status: 200, outcome: 'completed', count: 3 },
    { operation: 'video.poll', status: 0, outcome: 'aborted', count: 1 },
    { operation: null, status: 404, outcome: 'completed', count: 1 },
  ])
  expect([...traffic.faults]).toEqual([['reset', 2]])
})

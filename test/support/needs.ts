import { beforeEach } from 'vitest'
import { getCurrentTest } from 'vitest/suite'
import { operations, type EmbeddedOptions, type Operation } from '../../src/index.ts'
import { shippedOperations } from '../../src/apis/index.ts'
import { removedFolders, removedOperations } from './golden.ts'

/**
 * Skips the test that calls it, or each test of the file that calls it outside of tests, if an API that it needs is removed from
 * `src/apis`: its golden exchanges remain, so that what it served is known. Nothing is skipped while all APIs are there.
 */
export function needs(...names: readonly Operation[]): void {
  const unknown = names.find((name) => !operations.includes(name) && !removedOperations.includes(name))
  if (unknown !== undefined) throw new Error(`No API has an operation ${unknown}`)
  const removed = names.filter((name) => removedOperations.includes(name))
  if (removed.length === 0) return
  const reason = `needs ${removed.join(' and ')}, whose API is removed`
  const test = getCurrentTest()
  if (test) test.context.skip(reason)
  else beforeEach(({ skip }) => skip(reason))
}

/** Whether the API of an operation is removed, for groups of tests that can't begin without it. */
export const lacks = (name: Operation): boolean => removedOperations.includes(name)

/** The rows of a table, without those that name an operation or a path whose API is removed. */
export function servedRows<const Row>(rows: readonly Row[]): readonly Row[] {
  const names = [
    ...removedOperations.map((name) => String.raw`\b${name}\b`),
    ...removedFolders.map((path) => `${path}\\b`),
  ]
  if (names.length === 0) return rows
  const removed = new RegExp(names.join('|'))
  return rows.filter((row) => !removed.test(JSON.stringify(row)))
}

/** Options of APIs, without those whose API is removed. */
export function servedOptions(options: EmbeddedOptions): EmbeddedOptions {
  const known = Object.entries(options).filter(([name]) => name in shippedOperations.settings.options)
  return Object.fromEntries(known)
}

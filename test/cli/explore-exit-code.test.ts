import { expect, test } from 'vitest'
import { exitCodeOf } from '../../src/cli/run/explore/exit-code.ts'
import type { ReportedExploration } from '../../src/judge/explore/index.ts'

/** An exploration with the states of its cells, and whether each of its findings fails. */
function createExploration(states: readonly string[], failing: readonly boolean[] = []): ReportedExploration {
  const exploration = {
    cells: states.map((state) => ({ state })),
    left: [],
    findings: failing.map((fails) => ({ fails })),
  }
  return exploration as unknown as ReportedExploration
}
const codeOf = (
  explorations: ReportedExploration[],
  baselineCodes: number[] = [],
  needsAll = false,
): number => exitCodeOf({ baselineCodes, explorations, needsAll })

test('A client that fails by itself decides the exit code, whatever a second scenario finds.', () => {
  expect(codeOf([createExploration(['found'], [true])], [7, 24])).toBe(7)
})

test('A new finding exits with 20, and an accepted one with 0.', () => {
  expect(codeOf([createExploration(['found'], [false, true])])).toBe(20)
  expect(codeOf([createExploration(['found'], [false])])).toBe(0)
})

test('A scenario in which nothing was tried exits with 26.', () => {
  expect(codeOf([createExploration(['survived']), createExploration([])])).toBe(26)
})

test('What was not judged fails a strict exploration only.', () => {
  const explorations = [createExploration(['survived', 'not judged'])]
  expect(codeOf(explorations)).toBe(0)
  expect(codeOf(explorations, [], true)).toBe(26)
})

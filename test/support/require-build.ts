import type { TestProject } from 'vitest/node'
import { explainBuildState, readBuildState } from '../../scripts/build-state.js'
import { writeLists } from '../../scripts/write-lists.js'

/**
 * Stops the tests when there is no build: many run programs of dist. A stale build is only reported, so that a change can be
 * tried on the tests of src alone. A new file of a list is in it at once.
 */
export function setup({ config }: Pick<TestProject, 'config'>): void {
  writeLists()
  const state = readBuildState(config.root)
  if (state === 'missing') {
    // Vitest 4.1 can't print an error of a setup that comes from its cache of modules.
    process.stderr.write(`${explainBuildState(state)}\n`)
    process.exit(1)
  }
  if (state === 'stale') process.stderr.write(`warning: ${explainBuildState(state)}\n`)
}

import type { TestProject } from 'vitest/node'
import { explainBuildState, readBuildState } from '../../scripts/build-state.js'

/**
 * Stops the tests when there is no build: many run programs of dist. A stale build is only reported, so that a change can be
 * tried on the tests of src alone.
 */
export function setup({ config }: Pick<TestProject, 'config'>): void {
  const state = readBuildState(config.root)
  if (state === 'missing') throw new Error(explainBuildState(state))
  if (state === 'stale') process.stderr.write(`warning: ${explainBuildState(state)}\n`)
}

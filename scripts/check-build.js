// Refuses to pack a build that was not made from the current sources.
import { fileURLToPath } from 'node:url'
import { explainBuildState, readBuildState } from './build-state.js'

const state = readBuildState(fileURLToPath(new URL('..', import.meta.url)))
if (state !== 'current') {
  console.error(`error: ${explainBuildState(state)}`)
  process.exitCode = 1
}

// Builds when it must. npm runs this when it has installed packages in a clone, and in the copy of a git dependency. Its name in
// package.json is not `prepare`: npm 11 reports that script to each project that installs a tarball or a git dependency.
import { fileURLToPath } from 'node:url'
import { readBuildState } from './build-state.js'

const state = readBuildState(fileURLToPath(new URL('..', import.meta.url)))
if (state !== 'current') await import('./build.js')

// Builds when it must. npm runs this at `npm ci`, but also at each `npm pack` and each `npx greenroom` in the project, while
// a server may be running from dist.
import { fileURLToPath } from 'node:url'
import { readBuildState } from './build-state.js'

const state = readBuildState(fileURLToPath(new URL('..', import.meta.url)))

// npx hides the output of this script, so a build would look like a hang. It starts the build that exists, like npm start.
const isNpx = process.env['npm_command'] === 'exec'
const mustBuild = isNpx ? state === 'missing' : state !== 'current'
if (mustBuild) await import('./build.js')

import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { drawMutants, idOf } from './sample.js'

const [seed = '1', count = '105', ...folders] = process.argv.slice(2)
const rooms = folders.length > 0 ? folders : ['src/gateway', 'src/scenario', 'src/engine']

const drawn = (await Promise.all(rooms.map((room) => drawMutants(room, seed, Number(count))))).flat()

const results = await new Stryker({
  mutate: drawn.map(({ range }) => range),
  sample: drawn.map(({ id }) => id),
  plugins: [fileURLToPath(new URL('plugins.js', import.meta.url))],
  warnings: { unknownOptions: false },
  testRunner: 'vitest-sample',
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  // Stryker rewrites a tsconfig.json with an API that TypeScript 7 doesn't have.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  concurrency: 1,
  dryRunTimeoutMinutes: 10,
  // Most mutants that end in a loop are found by their hits; the time is for the others.
  timeoutFactor: 0.1,
  timeoutMS: 40_000,
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: '.greenroom/mutation.json' },
  tempDirName: '.greenroom/mutation',
  ignorePatterns: ['.greenroom'],
  allowConsoleColors: false,
}).runMutationTest()

// The report counts lines and columns from 1.
const fromZero = ({ line, column }) => ({ line: line - 1, column: column - 1 })
const ids = new Set(drawn.map(({ id }) => id))
const tested = results
  .map(({ location: { start, end }, ...mutant }) => ({
    ...mutant,
    id: idOf({ ...mutant, location: { start: fromZero(start), end: fromZero(end) } }),
  }))
  .filter(({ id }) => ids.has(id))
const withStatus = (...statuses) => tested.filter(({ status }) => statuses.includes(status))

for (const { id, status } of withStatus('Survived', 'NoCoverage')) process.stdout.write(`${status}: ${id}\n`)
// A mutant that no test file can load is no test's merit.
const died = withStatus('Killed', 'Timeout').length
const survived = withStatus('Survived').length
const uncovered = withStatus('NoCoverage').length
const valid = died + survived + uncovered
process.stdout.write(
  `${valid} mutants: ${died} died, ${survived} survived, ${uncovered} not covered by tests; ` +
    `${withStatus('RuntimeError').length} could not run. Score ${((100 * died) / valid).toFixed(1)} %.\n`,
)

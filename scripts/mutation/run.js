import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { drawMutants } from './sample.js'

const [seed = '1', count = '120', ...folders] = process.argv.slice(2)
const rooms = folders.length > 0 ? folders : ['src/gateway', 'src/scenario', 'src/engine']

const drawn = (await Promise.all(rooms.map((room) => drawMutants(room, seed, Number(count))))).flat()

const results = await new Stryker({
  mutate: drawn.map(({ range }) => range),
  sample: drawn.map(({ id }) => id),
  checkers: ['sample'],
  plugins: ['@stryker-mutator/vitest-runner', fileURLToPath(new URL('sample.js', import.meta.url))],
  warnings: { unknownOptions: false },
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  // Stryker rewrites a tsconfig.json with an API that TypeScript 7 doesn't have.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  concurrency: 1,
  dryRunTimeoutMinutes: 10,
  timeoutMS: 10_000,
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: '.greenroom/mutation.json' },
  tempDirName: '.greenroom/mutation',
  ignorePatterns: ['.greenroom'],
  allowConsoleColors: false,
}).runMutationTest()

const tested = results.filter(({ status }) => status !== 'CompileError')
const withStatus = (...statuses) => tested.filter(({ status }) => statuses.includes(status))

for (const { fileName, location, mutatorName, replacement, status } of withStatus('Survived', 'NoCoverage')) {
  const place = `${fileName.slice(fileName.lastIndexOf('src/'))}:${location.start.line + 1}:${location.start.column + 1}`
  process.stdout.write(`${place}: ${status}: ${mutatorName}: ${replacement}\n`)
}
const died = withStatus('Killed', 'Timeout').length
process.stdout.write(
  `${tested.length} mutants: ${died} died, ${withStatus('Survived').length} survived, ` +
    `${withStatus('NoCoverage').length} not covered: ${((100 * died) / tested.length).toFixed(1)} %\n`,
)

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'
import { idOf } from './sample.js'

/** A mutant is tried on the shortest test files that reach it, up to this time together. */
const maxTestMs = 6_000

const durationsFile = 'durations.json'

/**
 * Runs the drawn mutants, on whole test files. Stryker's runner selects tests by one regular expression of all their names,
 * and V8 refuses one of a thousand names as too large: the mutant would count as dead.
 */
function createSampleRunner(injector) {
  const drawn = new Set(injector.resolve('options').sample)
  const runner = injector.injectFunction(vitestPlugins[0].factory)
  const [run, dryRun, mutantRun] = ['run', 'dryRun', 'mutantRun'].map((name) => runner[name].bind(runner))
  runner.dryRun = async (options) => {
    const result = await dryRun(options)
    const durations = {}
    for (const { id, timeSpentMs } of result.tests ?? [])
      durations[fileOf(id)] = (durations[fileOf(id)] ?? 0) + timeSpentMs
    writeFileSync(durationsFile, JSON.stringify(durations))
    return result
  }
  // A range of `mutate` holds other mutants, too.
  runner.mutantRun = async (options) =>
    drawn.has(idOf(options.activeMutant))
      ? mutantRun(options)
      : { status: 'error', errorMessage: 'not in the sample' }
  runner.run = ({ testIds, ...options }) => {
    if (!existsSync(durationsFile)) return run(options)
    const [, room] = /.*\/src\/(\w+)\//.exec(options.relatedFiles[0])
    globalThis.mutationTestFiles = chooseFiles(room, testIds)
    return run({ ...options, testFiles: globalThis.mutationTestFiles })
  }
  return runner
}
createSampleRunner.inject = ['$injector']

const fileOf = (testId) => testId.slice(0, testId.indexOf('#'))

/**
 * Test files of the mutant's own room first, then the shortest.
 * @param testIds which tests reach the mutant; undefined for a static one, which all tests reach.
 */
function chooseFiles(room, testIds) {
  const durations = JSON.parse(readFileSync(durationsFile, 'utf8'))
  const files = testIds ? [...new Set(testIds.map(fileOf))] : Object.keys(durations)
  const costOf = (file) => durations[file] / (file.startsWith(`test/${room}/`) ? 10 : 1)
  let totalMs = 0
  return files
    .sort((one, other) => costOf(one) - costOf(other))
    .filter((file, index) => (totalMs += durations[file]) <= maxTestMs || index === 0)
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'vitest-sample', createSampleRunner),
]

import { CheckStatus } from '@stryker-mutator/api/check'
import { declareFactoryPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'
import { idOf } from './sample.js'

/** Refuses mutants that lie in the range of a drawn one, but were not drawn themselves. */
function createSampleChecker({ sample }) {
  const drawn = new Set(sample)
  const checkOne = (mutant) =>
    drawn.has(idOf(mutant))
      ? { status: CheckStatus.Passed }
      : { status: CheckStatus.CompileError, reason: 'not drawn' }
  return {
    async init() {},
    check: async (mutants) => Object.fromEntries(mutants.map((mutant) => [mutant.id, checkOne(mutant)])),
  }
}
createSampleChecker.inject = ['options']

/**
 * Runs whole test files. Stryker's runner selects tests by one regular expression of all their names, and V8 refuses one of
 * a thousand names as too large: the mutant would count as dead.
 */
function createFileRunner(injector) {
  const runner = injector.injectFunction(vitestPlugins[0].factory)
  const run = runner.run.bind(runner)
  runner.run = ({ testIds = [], ...options }) =>
    run(testIds.length === 0 ? options : { ...options, testFiles: [...new Set(testIds.map(fileOf))] })
  return runner
}
createFileRunner.inject = ['$injector']

const fileOf = (testId) => testId.slice(0, testId.indexOf('#'))

/** Prints each mutant that no test notices as soon as that is known. */
const survivors = {
  onMutantTested(mutant) {
    if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') return
    process.stdout.write(`${mutant.status}: ${idOf(mutant)}\n`)
  },
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.Checker, 'sample', createSampleChecker),
  declareFactoryPlugin(PluginKind.TestRunner, 'vitest-files', createFileRunner),
  declareValuePlugin(PluginKind.Reporter, 'survivors', survivors),
]

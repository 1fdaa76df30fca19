import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Commands and servers as processes, encoders, browsers, full disks, days of traffic: `npm run test:slow`, which CI runs, too. */
const slowTests = 'test/**/*.slow.test.ts'

/**
 * These replace globals in ways that last, observe what is loaded and when, measure the heap, or run code that closes nothing, as
 * examples of docs do: each file has a process of its own. All others share processes, which saves loading the sources for each file, and
 * leave nothing behind.
 */
const isolatedTests = [
  'test/apis/forms-at-start.test.ts',
  'test/fake-timers.test.ts',
  'test/gateway/task-weight.test.ts',
  'test/tidy-docs.test.ts',
  'test/vitest/turned-by-hand.test.ts',
]

/** Tests make many simulators, and most objects die young: a larger young generation of the heap saves 6 % of processor time. */
const youngHeap = '--max-semi-space-size=32'

/** The slow tests that take longest, by their time. The fast tests all take seconds. */
const longest = [
  'examples',
  'explore-examples',
  'tutorials',
  'cli/explore-agents',
  'cli/same-verdict',
  'container',
  'cli/explore-planted',
  'cli/init',
  'worker-example',
  'cli/stopped-programs',
  'take-away',
  'server/state-kill',
]

/** Vitest begins with large files. One that takes minutes would run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.slow.test.ts`))
      return place < 0 ? longest.length : place
    }
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    globalSetup: fileURLToPath(new URL('test/support/require-build.ts', import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition that holds a moment later on a busy machine holds all the same.
    expect: { poll: { timeout: 20_000, interval: 10 } },
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    execArgv: [youngHeap],
    // Compiled sources stay in node_modules/.experimental-vitest-cache, by the digest of each file.
    experimental: { fsModuleCache: true },
    // A run is strict if CI is set: a test that needs it sets it.
    env: { CI: '' },
    // A test that passes only the second time shows a defect of the test or of the product.
    retry: 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [slowTests, ...isolatedTests],
          isolate: false,
          // Collections by one thread save another 4 %, since each processor has a worker.
          execArgv: [youngHeap, '--single-threaded-gc'],
          setupFiles: ['restored-globals', 'removed-apis'].map((name) =>
            fileURLToPath(new URL(`test/support/${name}.ts`, import.meta.url)),
          ),
        },
      },
      { extends: true, test: { name: 'isolated', include: isolatedTests, exclude: [slowTests] } },
      { extends: true, test: { name: 'slow', include: [slowTests] } },
    ],
  },
})

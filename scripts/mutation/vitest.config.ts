import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short test files first: most mutants die there. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).reverse()
  }
}

/** Tests that run the sources in their own process. Others run `dist`, which has no mutants. */
export default defineConfig({
  test: {
    include: ['test/{apis,control,engine,gateway,judge,scenario,simulator}/**/*.test.ts', 'test/*.test.ts'],
    exclude: [
      'test/**/*.slow.test.ts',
      // Long, and of other rooms.
      'test/control/events.test.ts',
      'test/gateway/task-weight.test.ts',
      'test/judge/explore/**',
      'test/apis/{drawing-hooks,own-pictures,video-shape}.test.ts',
      'test/{action,built,ci-examples,commonjs,docs,docstrings,example-*,examples,new,record,tidy,tidy-docs}.test.ts',
    ],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: ShortestFirst },
  },
})

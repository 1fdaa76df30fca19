import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Keeps the order of plugins.js, which runs in the same process. */
class ChosenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { mutationTestFiles: order = [] } = globalThis as { mutationTestFiles?: string[] }
    const rankOf = ({ moduleId }: TestSpecification): number =>
      order.findIndex((file) => moduleId.endsWith(`/${file}`))
    return files.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

/** Tests that run the sources in their own process, but for long ones. Others run `dist`, which has no mutants. */
export default defineConfig({
  test: {
    include: ['test/{apis,control,engine,gateway,judge,scenario,simulator}/**/*.test.ts', 'test/*.test.ts'],
    exclude: [
      'test/**/*.slow.test.ts',
      'test/{action,built,ci-examples,commonjs,docs,docstrings,example-*,examples,new,record,tidy,tidy-docs}.test.ts',
      'test/{control/events,gateway/task-weight,judge/explore/*}.test.ts',
      'test/apis/{drawing-hooks,own-pictures,video-shape}.test.ts',
    ],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: ChosenOrder },
  },
})

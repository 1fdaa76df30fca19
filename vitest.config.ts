import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: fileURLToPath(new URL('test/support/require-build.ts', import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition that holds a moment later on a busy machine holds all the same.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
    // A test that passes only the second time shows a defect of the test or of the product.
    retry: 0,
  },
})

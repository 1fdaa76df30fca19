import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition that holds a moment later on a busy machine holds all the same.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
})

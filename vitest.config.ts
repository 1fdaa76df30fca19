import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition that holds a moment later on a busy machine holds all the same.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
    // Real processes and sockets may be starved where much else runs. A second try is told in the report.
    retry: process.env['CI'] ? 1 : 0,
  },
})

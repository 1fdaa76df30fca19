import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'

it.each<[EmbeddedOptions, string]>([
  [{ profile: 'sed' as never }, 'There is no profile "sed". Did you mean "seed"? Use seed, '],
  [
    { quirks: { sseNewlin: 'lf' } as never },
    'There is no quirk "sseNewlin". Did you mean "sseNewline"? Use ',
  ],
  [{ quirks: { sseNewline: 'other' as never } }, 'Quirk sseNewline is "other". Use '],
])('refuses the options %j', (options, start) => {
  expect(() => createSimulator({ cacheDir: false, ...options })).toThrow(
    expect.objectContaining({
      name: 'QuirkError',
      message: expect.stringContaining(start) as unknown,
    }) as Error,
  )
})

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith } from '../../cli/run-in-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A program of a user, which the compiler checks with the types of the package. */
const program = `
import { createSimulator, type Expect, type Operation, type Scenario } from 'greenroom'
import { defineApi, kitFor, z } from 'greenroom/api'
import { useGreenroom } from 'greenroom/vitest'
import { expect } from 'vitest'

const words = {
  states: { queue: 'moored', work: 'sailing', success: 'landed', failure: 'sunk' },
  quirks: { harbour: { values: ['calm', 'rough'], description: 'The harbour.' } },
} as const
const { poll, submit } = kitFor(words)

const boats = defineApi({
  name: 'boats',
  ...words,
  error: ({ message }) => ({ message }),
  operations: {
    launch: submit({
      route: 'POST /boats',
      body: z.object({ name: z.string(), masts: z.int().optional() }),
      job: ({ body }) => ({ model: \`boat-\${body.masts?.toFixed()}\`, prompt: body.name }),
      reply: ({ id }) => ({ id }),
    }),
    look: poll({
      route: 'GET /boats/{id}',
      reply: ({ status }, { quirks }) => {
        const known: ('moored' | 'sailing' | 'landed' | 'sunk' | 'calm' | 'rough')[] = [status, quirks.harbour]
        // @ts-expect-error There is no such state.
        return [known, status === 'sinking']
      },
    }),
  },
})

declare module 'greenroom/api' {
  interface OwnApis {
    boats: typeof boats
  }
}

const sim = createSimulator({ apis: [boats], quirks: { harbour: 'rough' }, rules: [{ match: { op: 'boats.look' }, delay: '1s' }] })
sim.next('boats.look', { respond: { status: 503 } })
sim.next(['boats.launch', 'boats.output', 'video.poll'], { fault: 'reset' })
const operation: Operation = 'boats.launch'
sim.journal({ operation })
const expected: Expect = { tasks: [{ channel: 'boats', status: 'landed' }], requests: [{ op: 'boats.look' }] }
export const scenario: Scenario = { version: 1, config: { apis: [boats] }, expect: expected }
const gateway = useGreenroom({ apis: [boats], expect: expected })
gateway.next('boats.look', { delay: '1s' })
expect(gateway).toHaveRequested('boats.launch')

// @ts-expect-error There is no such quirk.
createSimulator({ apis: [boats], quirks: { harbor: 'rough' } })
// @ts-expect-error There is no such operation.
sim.next('boats.lok', {})
// @ts-expect-error There is no such operation.
expect(gateway).toHaveRequested('boats.lok')
// @ts-expect-error There is no such kind.
export const wrong: Expect = { tasks: [{ channel: 'boat' }] }
`

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  skipLibCheck: true,
  types: ['node'],
}

it('knows the operations and kinds of APIs of a user without a cast, if OwnApis lists them', () => {
  const folder = folderWith({
    'boats.ts': program,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['boats.ts'] }),
  })
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  symlinkSync(root, join(packages, 'greenroom'))
  for (const name of ['vitest', '@types']) symlinkSync(join(root, 'node_modules', name), join(packages, name))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const words = [compiler, '--pretty', 'false', '-p', folder]
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})

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
const expected: Expect = { tasks: [{ kind: 'boats', status: 'landed' }], requests: [{ op: 'boats.look' }] }
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
export const wrong: Expect = { tasks: [{ kind: 'boat' }] }
`

/** Mistakes of a definition that only the compiler can find before a request comes. */
const mistakes = `
import { call, defineApi, poll, submit, z, type Job } from 'greenroom/api'

const states = { queue: 'a', work: 'b', success: 'c', failure: 'd' }
const body = z.object({ text: z.string() })
const job = () => ({ model: 'boat', prompt: 'a boat' })
const create = submit({ route: 'POST /jobs', body, job, reply: ({ id }) => ({ id }) })
const get = poll({ route: 'GET /jobs/{id}', reply: (job: Job): unknown => job.status })
const operations = { create, get }

// @ts-expect-error An async reply.
poll({ route: 'GET /jobs/{id}', reply: async ({ id }) => ({ id }) })
// @ts-expect-error A promise for some jobs.
poll({ route: 'GET /jobs/{id}', reply: (job) => (job.isDone ? Promise.resolve(1) : { id: job.id }) })
// @ts-expect-error An async reply.
submit({ route: 'POST /jobs', body, job, reply: async ({ id }) => ({ id }) })
// @ts-expect-error An async job.
submit({ route: 'POST /jobs', body, job: async () => job(), reply: ({ id }) => ({ id }) })
// @ts-expect-error An async reply.
call({ route: 'POST /files', body, reply: async (request) => request.body.text })
// @ts-expect-error An example that does not fit the body.
submit({ route: 'POST /jobs', body, example: { body: { txt: 'a' } }, job, reply: ({ id }) => ({ id }) })
// @ts-expect-error An async envelope.
defineApi({ name: 'boats', states, operations, error: async ({ message }) => ({ message }) })

// @ts-expect-error There is no such key of an operation.
poll({ route: 'GET /jobs/{id}', replay: 1, reply: ({ id }) => ({ id }) })
// @ts-expect-error There is no such key of a definition.
defineApi({ name: 'boats', states, operations, id: 'uuid', envelope: 1 })
// @ts-expect-error There is no such state.
defineApi({ name: 'boats', states: { ...states, paused: 'e' }, operations })
// @ts-expect-error There is no such key of keys.
defineApi({ name: 'boats', states, operations, keys: { like: /^a/, header: 'x-key' } })

export const fine = defineApi({
  name: 'boats',
  states,
  operations,
  keys: { like: /^a/, headers: ['x-key'] },
  error: ({ message, status }) => ({ message, status: status.toFixed() }),
  webhook: { on: ['work'], body: ({ id }) => ({ id }) },
})
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

it('knows the operations and kinds of APIs of a user without a cast, and the mistakes of a definition', () => {
  const folder = folderWith({
    'boats.ts': program,
    'mistakes.ts': mistakes,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['boats.ts', 'mistakes.ts'] }),
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

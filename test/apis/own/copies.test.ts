import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import type * as Kit from '../../../src/apis/own/index.ts'
import type * as Greenroom from '../../../src/index.ts'

// The package has its code three times: for `import`, for `require`, and in `greenroom/api`.
const load = createRequire(import.meta.url)
const { answer, defineApi, poll, refusal, submit, z } = (await import(
  load.resolve('../../../dist/api.js')
)) as typeof Kit

const bees = defineApi({
  name: 'bees',
  states: { queue: 'egg', work: 'larva', success: 'bee', failure: 'lost' },
  error: ({ message }) => ({ oops: message }),
  refusals: { unknownJob: { status: 410 } },
  operations: {
    hatch: submit({
      route: 'POST /bees',
      body: z.object({ name: z.string() }),
      job: ({ body: { name } }) => {
        if (name === 'drone') throw refusal('no drones', 'unknownJob')
        if (name === 'wasp') return refusal('no wasps')
        return name === 'queen' ? answer(418, { crown: true }) : { model: 'bee', prompt: name }
      },
      reply: ({ prompt }) => answer(202, { hatching: prompt }),
    }),
    look: poll({ route: 'GET /bees/{id}', reply: ({ status }) => ({ status }) }),
  },
})

it.each(['index.js', 'index.cjs'])(
  'knows the answers and refusals that greenroom/api makes, in dist/%s',
  async (entry) => {
    const { createSimulator } = (
      entry.endsWith('.cjs')
        ? load(`../../../dist/${entry}`)
        : await import(load.resolve(`../../../dist/${entry}`))
    ) as typeof Greenroom
    const sim = createSimulator({ apis: [bees], cacheDir: false })
    const hatch = async (name: string): Promise<unknown> => {
      const headers = { authorization: 'Bearer sk-hive', 'content-type': 'application/json' }
      const response = await sim.fetch('/bees', { method: 'POST', headers, body: JSON.stringify({ name }) })
      return [response.status, await response.json()]
    }
    expect(await hatch('queen')).toEqual([418, { crown: true }])
    expect(await hatch('drone')).toEqual([410, { oops: 'no drones' }])
    expect(await hatch('wasp')).toEqual([422, { oops: 'no wasps' }])
    expect(await hatch('maja')).toEqual([202, { hatching: 'maja' }])
  },
)

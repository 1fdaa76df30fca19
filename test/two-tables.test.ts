import { expect, it } from 'vitest'
import { defineApi, type Api } from '../src/apis/define/api.ts'
import { defineOperation } from '../src/apis/define/operation.ts'
import { apis } from '../src/apis/index.ts'
import { jsonReply } from '../src/gateway/replies/reply.ts'
import { nodeMedia } from '../src/media/node.ts'
import { composeSimulator, type Simulator } from '../src/simulator/simulator.ts'
import { createFetch } from '../src/transports/fetch/create-fetch.ts'

/** An API that calls a read what the API of drawings calls a submission. */
const ownApi = defineApi({
  name: 'own',
  title: 'Own',
  description: '',
  operations: [
    defineOperation(
      {
        name: 'mj.imagine',
        summary: 'Imagine',
        role: 'read',
        route: 'GET /own/imagination',
        schema: () => ({ answer: {} }),
      },
      () => ({ respond: () => jsonReply(200, { own: true }) }),
    ),
  ],
})

function compose(served: readonly Api[]): Simulator & AsyncDisposable {
  const media = nodeMedia({ cacheDir: false })
  const simulator = composeSimulator({
    media,
    clock: { mode: 'manual' },
    quality: 'fast',
    shippedApis: served,
  })
  return { ...simulator, [Symbol.asyncDispose]: simulator.close }
}

const withoutDrawings: readonly Api[] = apis.filter(({ name }) => name !== 'drawing')

async function send(simulator: Simulator, line: string, body?: object): Promise<number> {
  const [method, path] = line.split(' ')
  const headers = { authorization: 'Bearer sk-two', 'content-type': 'application/json' }
  const init = { method: method!, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await createFetch(simulator)(`https://gateway.example${path}`, init)).status
}

const imagine = ['POST /mj/submit/imagine', { prompt: 'a red kite' }] as const

it('serves in each of two simulators only the APIs of its own table', async () => {
  await using whole = compose(apis)
  await using other = compose([...withoutDrawings, ownApi])
  expect([await send(whole, ...imagine), await send(other, ...imagine)]).toEqual([200, 404])
  const own = 'GET /own/imagination'
  expect([await send(whole, own), await send(other, own)]).toEqual([404, 200])
  for (const simulator of [whole, other])
    expect(await send(simulator, 'POST /v1/video/generations', { model: 'video-1', prompt: 'a kite' })).toBe(
      200,
    )
  const rolesIn = ({ namespaces }: Simulator): unknown =>
    namespaces
      .get('default')
      .journal.entries()
      .flatMap(({ operation, role }) => (operation === 'mj.imagine' ? [role] : []))
  expect([rolesIn(whole), rolesIn(other)]).toEqual([['submit'], ['read']])
})

it('matches rules by the roles of its own table', async () => {
  await using whole = compose(apis)
  await using other = compose([...withoutDrawings, ownApi])
  for (const { rules } of [whole, other]) rules.add({ match: { role: 'submit' }, respond: { status: 503 } })
  expect(await send(whole, ...imagine)).toBe(503)
  expect(await send(other, 'GET /own/imagination')).toBe(200)
})

it('checks rules by its own table', async () => {
  await using whole = compose(apis)
  await using other = compose(withoutDrawings)
  const rule = { match: { op: 'mj.imagine' }, respond: { status: 503 } } as const
  expect(() => other.rules.add(rule)).toThrow('mj.imagine')
  whole.rules.add(rule)
  expect(await send(whole, ...imagine)).toBe(503)
})

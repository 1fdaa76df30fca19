import { IncomingMessage, ServerResponse } from 'node:http'
import * as v8 from 'node:v8'
import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { openDirect, openMsw, openSocket, type OpenTransport } from '../support/transports.ts'
import { ask, postChat, postNative, say } from '../support/text.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

/** Counts live objects of a class, after a garbage collection. */
const countAlive = (type: new (...parameters: never[]) => object): number =>
  (v8 as unknown as { queryObjects: (type: unknown, options: object) => number }).queryObjects(type, {
    format: 'count',
  })

const rounds = 10

/** Runs exchanges of several operations to their end. */
async function runExchanges(transport: OpenTransport): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await (await postChat(transport, ask(`Why ${round}?`))).text()
    await (await postChat(transport, { ...ask(`Why ${round}?`), stream: true })).text()
    await (await postNative(transport, 'generateContent', say(`Why ${round}?`))).text()
    await pollVideo(transport, await submitVideo(transport, { prompt: `a kite ${round}` }))
    await (await transport.call('/v1/unknown')).text()
  }
}

const scripts: Readonly<Record<string, EmbeddedOptions>> = {
  'no rule': {},
  'a rule that never fires': { rules: [{ match: { op: 'mj.*' }, delay: '1s' }] },
  'a rule that fires': { rules: [{ match: { op: '*' }, every: 2, respond: { headers: { 'x-a': 'b' } } }] },
  'a rule that matches bodies': {
    rules: [{ match: { op: '*', body: { model: { glob: 'z*' } } }, delay: 0 }],
  },
  'a limit': { throttles: [{ match: { op: '*' }, bucket: { capacity: 30, refill: '1/10s' } }] },
}

it.each(Object.entries(scripts))(
  'forgets an exchange when its transport is done, with %s',
  async (_name, options) => {
    await using transport = await openSocket(options)
    await runExchanges(transport)
    expect(transport.sim.journal()).toHaveLength(6 * rounds)
    // The latest exchange of a connection lives as long as the connection.
    await expect.poll(() => countAlive(IncomingMessage)).toBeLessThan(5)
    await expect.poll(() => countAlive(ServerResponse)).toBeLessThan(5)
  },
)

it.each([
  ['fetch', openDirect],
  ['MSW', openMsw],
])('forgets the request and the response of an exchange through %s', async (_name, open) => {
  await using transport = await open(scripts['a rule that never fires'])
  const before = [countAlive(Request), countAlive(Response)]
  await runExchanges(transport)
  await expect.poll(() => countAlive(Request) - before[0]!).toBeLessThan(5)
  await expect.poll(() => countAlive(Response) - before[1]!).toBeLessThan(5)
})

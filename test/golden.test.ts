import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shippedOperations } from '../src/apis/index.ts'
import { operations, type EmbeddedOptions } from '../src/index.ts'
import { needs } from './support/needs.ts'
import { describeTransports, type OpenTransport } from './support/transports.ts'
import {
  allGoldenNames,
  goldenFile,
  goldenNames,
  goldenOf,
  initOf,
  type Call,
  type Golden,
} from './support/golden.ts'

/** Headers that are part of the API. Lengths, dates and connections depend on the transport. */
const promised = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'request-id',
  'retry-after',
  'x-accel-buffering',
  'x-new-api-other-ratios',
  'x-new-api-version',
  'x-oneapi-request-id',
  'x-greenroom-hint',
]

const settings: EmbeddedOptions = {
  seed: 1,
  clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' },
  publicUrl: 'http://127.0.0.1:4646',
  ffmpeg: 'wasm',
}
const [withOptions, plain] = [true, false].map((has) =>
  goldenNames.filter((name) => (goldenOf(name).options !== undefined) === has),
)

describeTransports((open, transport) => {
  it.each(withOptions!)('answers fixtures/golden/%s to the byte', async (name) => {
    await using gateway = await open({ ...settings, ...goldenOf(name).options })
    await check(gateway, name, transport)
  })

  describe('of one simulator, which is reset', () => {
    let gateway: OpenTransport
    beforeAll(async () => void (gateway = await open(settings)))
    afterAll(() => gateway[Symbol.asyncDispose]())

    it.each(plain!)('answers fixtures/golden/%s to the byte', async (name) => {
      gateway.sim.reset()
      await check(gateway, name, transport)
    })
  })
})

async function check(gateway: OpenTransport, name: string, transport: string): Promise<void> {
  // Its models have the prices of drawings.
  if (name.startsWith('models.prices.')) needs('mj.imagine')
  const golden = goldenOf(name)
  for (const step of golden.before ?? []) {
    if (typeof step === 'string') await gateway.sim.clock.advance(step)
    else await (await send(gateway, step)).arrayBuffer()
  }
  const seen = await seenOf(await send(gateway, golden.request))
  if (process.env['UPDATE_GOLDEN'] && transport === 'direct') {
    writeFileSync(goldenFile(name), `${JSON.stringify({ ...golden, response: seen }, null, 2)}\n`)
    return
  }
  expect(seen).toEqual(golden.response)
}

it('has a golden exchange for every operation that a client calls', () => {
  for (const operation of operations.filter((name) => shippedOperations.roleOf(name) !== 'report'))
    expect(
      allGoldenNames.some((name) => name.startsWith(`${operation}.`)),
      operation,
    ).toBe(true)
})

function send(transport: OpenTransport, call: Call): Promise<Response> {
  return transport.call(call.path, initOf(call))
}

async function seenOf(response: Response): Promise<Golden['response']> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const headers = Object.fromEntries(promised.flatMap((name) => [[name, response.headers.get(name)]]))
  const present = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null))
  return {
    status: response.status,
    headers: present as Record<string, string>,
    body: bodyOf(response, bytes),
  }
}

/** JSON as it was sent, so that the order of its keys counts; a video or image by its length and type. */
function bodyOf(response: Response, bytes: Buffer): unknown {
  if (/^(?:video|image)\//.test(response.headers.get('content-type') ?? '')) {
    return { bytes: bytes.length, begins: bytes.toString('latin1', 4, 8) }
  }
  return bytes.toString('utf8')
}

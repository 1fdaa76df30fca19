import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator } from '../../src/index.ts'
import { goldenNames, goldenOf, initOf, type Call } from '../support/golden.ts'
import { everything, isMistake, runs, seed } from './open.ts'
import { expectSound } from './sound.ts'

/** Stands for a number that only a text can hold. */
const infinity = '@infinity'

/** Unexpected values. */
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  1e308,
  infinity,
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e\u200b\ufeff',
  '💥'.repeat(200),
  'x'.repeat(40_000),
  '[[queued 99999d]] [[fail: \u0000]] [[render 1e9s]]',
  '--ar 0:0 --chaos 1e999 --seed -1 --zoom nan --no',
  '../../../etc/passwd',
  'http://[::1]:1/\r\nX: y',
  'javascript:alert(1)',
  'data:image/png;base64,',
  'data:image/png;base64,AAAA',
  'data:image/svg+xml;base64,PHN2Zy8+',
  'MJ::JOB::upsample::1::__proto__',
  'MJ::Outpaint::1e999::1::x::SOLO',
  '$(touch /tmp/x); %{x} \\',
  '(a+)+$',
  '__proto__',
  'constructor',
  [],
  [[]],
  [null],
  Array.from({ length: 3_000 }, () => ''),
  {},
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  JSON.parse('{"length":1e9,"toString":null,"valueOf":1,"then":"x","toJSON":1}'),
  nested(90),
  nested(500),
]

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** One change of a body: what stands at some place is another value, stands twice, or is gone. */
const change = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'add', 'remove', 'double'),
  // By number, since a value that is nested too deep can't be printed.
  value: fc.oneof(
    fc.nat(hostile.length - 1).map((index) => ({ index })),
    fc.jsonValue({ maxDepth: 3 }).map((json) => ({ json })),
  ),
  key: fc.constantFrom('__proto__', 'constructor', 'toString', 'prompt', 'model', 'images', 'n', 'x'),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Every place of a value, as what holds it and the name under which it does. */
function placesIn(value: unknown, found: [Record<string, unknown>, string][] = []): typeof found {
  if (typeof value !== 'object' || value === null) return found
  for (const name of Object.keys(value)) {
    found.push([value as Record<string, unknown>, name])
    placesIn((value as Record<string, unknown>)[name], found)
  }
  return found
}

function changed(body: unknown, { at, how, value: chosen, key }: Change): void {
  const value = structuredClone('index' in chosen ? hostile[chosen.index] : chosen.json)
  const places = placesIn(body)
  const [holder, name] = places[at % Math.max(1, places.length)] ?? [body as Record<string, unknown>, key]
  if (how === 'replace') holder[name] = value
  else if (how === 'remove') delete holder[name]
  else if (how === 'double') holder[name] = [holder[name], holder[name]]
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

function written(body: unknown, changes: readonly Change[]): string {
  const copy = structuredClone(body)
  for (const each of changes) changed(copy, each)
  return JSON.stringify(copy).replaceAll(JSON.stringify(infinity), '1e999')
}

async function send(sim: EmbeddedSimulator, call: Call): Promise<Response> {
  const signal = AbortSignal.timeout(10_000)
  return sim.fetch(`https://gateway.example${call.path}`, { ...initOf(call), signal })
}

const goldens = goldenNames
  .map((name) => ({ name, golden: goldenOf(name) }))
  .filter(({ golden: { request } }) => typeof request.body === 'object' && request.method === 'POST')

describe('answers changed bodies soundly, and goes on', () => {
  it.each(goldens)('$name', { timeout: runs(30_000) }, async ({ golden: { options, before, request } }) => {
    const mistakes: string[] = []
    await using sim = createSimulator({
      ...everything,
      seed: 1,
      publicUrl: 'http://127.0.0.1:4646',
      ...options,
      clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' },
      onWarning: (message) => void (isMistake(message) && mistakes.push(message)),
    })
    for (const step of before ?? []) {
      if (typeof step === 'string') await sim.clock.advance(step)
      else await (await send(sim, step)).arrayBuffer()
    }
    sim.core.control.clock.set('default', { mode: 'auto' })
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const body = written(request.body, changes)
      const headers = { 'content-type': 'application/json', ...request.headers }
      const response = await send(sim, { ...request, headers, body })
      const text = await response.text()
      const type = response.headers.get('content-type') ?? ''
      expectSound({ status: response.status, type, text }, `${request.path} ${body.slice(0, 500)}`)
      expect(mistakes, body.slice(0, 500)).toEqual([])
    })
    await fc.assert(property, { numRuns: runs(6), seed, endOnFailure: true })
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(sim.clock.status().waiters).toBe(0)
    for (const entry of sim.journal()) expect(entry.outcome).not.toBe('open')
  })
})

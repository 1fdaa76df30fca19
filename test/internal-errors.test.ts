import { afterEach, expect, it, vi } from 'vitest'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../src/index.ts'
import { asGatewayError } from '../src/gateway/replies/errors.ts'
import { audit, createWatch, judgeEntries } from '../src/judge/index.ts'
import { replayEntries } from '../src/judge/watch.ts'
import { ImageStoreError } from '../src/media/source.ts'

afterEach(() => void vi.restoreAllMocks())

/** Provokes an internal error: this media source throws what none may throw. */
async function fail(
  options: EmbeddedOptions,
  inspect?: (sim: EmbeddedSimulator) => Promise<void>,
): Promise<number> {
  const { core } = createSimulator({ cacheDir: false })
  const receiveImage = (): never => {
    throw new TypeError('the raster is undefined')
  }
  await using sim = createSimulator({ ...options, media: { ...core.media, receiveImage } })
  const response = await sim.fetch('/v1/video/generations', {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt: 'a kite', image: 'data:image/png;base64,iVBORw0KGgo=' }),
  })
  await inspect?.(sim)
  return response.status
}

it('prints an internal error on the console', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await fail({})).toBe(500)
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/^greenroom: internal error: TypeError: the raster is undefined\. /)],
  ])
})

it('prints no internal error where the options take it', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const warnings: string[] = []
  expect(await fail({ onWarning: (message) => void warnings.push(message) })).toBe(500)
  expect(warnings).toEqual(['TypeError: the raster is undefined'])
  expect(printed).not.toHaveBeenCalled()
})

it('fails the verdict for an internal error, with any expectations', async () => {
  await fail({ onWarning: () => {} }, async (sim) => {
    const { passed, results } = await sim.verdict()
    expect(passed).toBe(false)
    expect(results[0]).toMatchObject({
      path: 'run',
      title: 'run: the simulator has no internal error',
      fails: true,
      actual: '#1 TypeError: the raster is undefined',
      requests: [1],
    })
    expect(sim.journal()[0]).toMatchObject({
      status: 500,
      internalError: 'TypeError: the raster is undefined',
    })
    await sim.fetch('/v1/models', { headers: { authorization: `Bearer ${sim.key}` } })
    expect(sim.journal()[1]).not.toHaveProperty('internalError')
  })
})

it('fails an audit for an internal error, in every report', async () => {
  await fail({ onWarning: () => {} }, async (sim) => {
    const entries = sim.journal().map((entry) => ({ ...entry, reasons: () => [] }))
    const watch = createWatch()
    replayEntries(entries, watch)
    expect(audit(watch)).toMatchObject({
      passed: false,
      internalErrors: { count: 1, first: [{ number: 1, message: 'TypeError: the raster is undefined' }] },
    })
    expect(judgeEntries(entries, {})).toMatchObject({
      passed: false,
      results: expect.arrayContaining([
        expect.objectContaining({ title: 'run: the simulator has no internal error', fails: true }),
      ]),
    })
  })
})

it('refuses what it has no room to store, and reports only its own mistakes', () => {
  const refusal = (error: unknown): unknown => {
    const { status, code, internalError } = asGatewayError(error)
    return [status, code, internalError]
  }
  expect(refusal(new ImageStoreError('the disk is full'))).toEqual([503, 'system_disk_overloaded', undefined])
  expect(refusal(new TypeError('x is undefined'))).toEqual([500, '', 'TypeError: x is undefined'])
  expect(refusal('thrown')).toEqual([500, '', 'thrown'])
})

import { afterEach, expect, it, vi } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../src/index.ts'
import { asGatewayError } from '../src/gateway/replies/errors.ts'
import { ImageStoreError } from '../src/media/source.ts'

afterEach(() => void vi.restoreAllMocks())

/** Provokes an internal error: this media source throws what none may throw. */
async function fail(options: EmbeddedOptions): Promise<number> {
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

it('refuses what it has no room to store, and reports only its own mistakes', () => {
  const bugs: string[] = []
  const refusal = (error: unknown): unknown => {
    const { status, code } = asGatewayError(error, (message) => bugs.push(message))
    return [status, code]
  }
  expect(refusal(new ImageStoreError('the disk is full'))).toEqual([503, 'system_disk_overloaded'])
  expect(bugs).toEqual([])
  expect(refusal(new TypeError('x is undefined'))).toEqual([500, ''])
  expect(refusal('thrown')).toEqual([500, ''])
  expect(bugs).toEqual(['TypeError: x is undefined', 'thrown'])
})

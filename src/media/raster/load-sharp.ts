import type sharp from 'sharp'
import { PackageMissing } from '../source.ts'

let loaded: Promise<typeof sharp> | undefined

/**
 * Loads sharp on first use, since that takes a tenth of a second. Frames are drawn a few at a time, each on one thread and
 * never twice, so sharp gets no extra threads and no cache.
 */
export function loadSharp(): Promise<typeof sharp> {
  return (loaded ??= load())
}

async function load(): Promise<typeof sharp> {
  const { default: sharp } = await import('sharp').catch(refuseWithoutSharp)
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}

/** @throws {PackageMissing} always. Its native part is an optional package, which `npm install --omit=optional` skips. */
function refuseWithoutSharp(cause: unknown): never {
  const [reason = ''] = (cause as Error).message.trim().split('\n', 1)
  throw new PackageMissing(
    `The package sharp does not load: ${reason}. Without it, there are no images and no full clips. ` +
      'Run npm install --include=optional sharp, and restart.',
    { cause },
  )
}

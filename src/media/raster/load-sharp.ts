import { createRequire } from 'node:module'
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

/** Why sharp does not work; undefined if its native part is installed. Loads it only if it seems to be missing. */
export async function findSharpProblem(): Promise<string | undefined> {
  if (hasNativeSharp()) return undefined
  return loadSharp().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  )
}

function hasNativeSharp(): boolean {
  try {
    // Its exports hide the manifest from `require('sharp/package.json')`.
    const own = createRequire(createRequire(import.meta.url).resolve('sharp'))
    const { optionalDependencies = {} } = own('../package.json') as { optionalDependencies?: object }
    return Object.keys(optionalDependencies)
      .filter((name) => name.startsWith(`@img/sharp-${process.platform}`) && name.endsWith(process.arch))
      .some((name) => canResolve(own, `${name}/sharp.node`))
  } catch {
    return false
  }
}

function canResolve({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    return resolve(name) !== ''
  } catch {
    return false
  }
}

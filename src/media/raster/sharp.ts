import type Sharp from 'sharp'

let loaded: Promise<typeof Sharp> | undefined

/**
 * sharp, loaded when the first picture is wanted: it costs a tenth of a second that a server need not wait for.
 * Frames are drawn a few at a time, each on one thread and never twice, so it keeps no threads and no cache.
 */
export function loadSharp(): Promise<typeof Sharp> {
  return (loaded ??= load())
}

async function load(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}

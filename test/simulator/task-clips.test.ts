import { afterEach, expect, it, vi } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { MyClient } from '../support/my-client.ts'

afterEach(() => void vi.restoreAllMocks())

/** Names the prompts of the clips that a simulator renders in advance, and of those that it drops. */
function watchClips(options: EmbeddedOptions) {
  const sim = createSimulator(options)
  const { media } = sim.core
  const prefetched = vi.spyOn(media, 'prefetch').mockResolvedValue('ready')
  const dropped = vi.spyOn(media as Required<typeof media>, 'forget').mockReturnValue()
  const promptsOf = (spy: typeof prefetched | typeof dropped): unknown[] =>
    spy.mock.calls.map(([spec]) => ('prompt' in spec ? spec.prompt : spec))
  return {
    sim,
    client: new MyClient({ fetch: sim.fetch }),
    prefetched: () => promptsOf(prefetched),
    dropped: () => promptsOf(dropped),
  }
}

it('renders the clip of a new task that will succeed, and drops it when the task expires', async () => {
  const { sim, client, prefetched, dropped } = watchClips({ retention: { age: '1h' } })
  await client.submitVideo('a red kite')
  await client.submitVideo('a blue kite [[fail: content policy]]')
  expect(prefetched()).toEqual(['a red kite'])
  await sim.clock.advance('50m')
  sim.tasks()
  expect(dropped()).toEqual([])
  await sim.clock.advance('11m')
  sim.tasks()
  expect(dropped()).toEqual(['a red kite', 'a blue kite'])
  await sim.close()
})

it('renders nothing in advance while only the client moves the clock', async () => {
  const { sim, client, prefetched } = watchClips({ clock: 'manual' })
  await client.submitVideo('a red kite')
  expect(prefetched()).toEqual([])
  await sim.close()
})

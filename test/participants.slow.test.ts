import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from './support/transports.ts'
import { liveTogether, shared } from './support/participants.ts'
import { turns } from './support/turns.ts'

/** Really random, and of another length each time: what computers do to clients. */
const realWork = (): Promise<void> =>
  Math.random() < 0.2
    ? new Promise((resolve) => setTimeout(resolve, 1))
    : turns(Math.floor(Math.random() * 5))

const histories: string[] = []

/** A number of runs through one transport. */
const runs = 20

describeTransports((open) => {
  const live = async (
    options: object,
    as: (transport: OpenTransport) => Promise<string[]>,
  ): Promise<string> => {
    await using transport = await open(options)
    return (await as(transport)).join('\n')
  }

  it('lives one history in twenty runs, whatever three concurrent clients do meanwhile', async () => {
    for (let run = 0; run < runs; run++) {
      histories.push(await live(shared, (transport) => liveTogether(transport, realWork)))
    }
    const [first] = histories
    expect(first!.split('\n').length).toBeGreaterThan(12)
    expect(first).toContain('SUCCESS')
    expect(new Set(histories).size).toBe(1)
  })

  it('gives more than one history without the count of clients, which shows that the count matters', async () => {
    const uncounted = { ...shared, clock: { mode: 'auto' } }
    const without = new Set<string>()
    for (let run = 0; run < 40 && without.size < 2; run++) {
      const lived = (transport: OpenTransport): Promise<string[]> =>
        liveTogether(transport, () => turns(Math.floor(Math.random() * 12)))
      without.add(await live(uncounted, lived))
    }
    expect(without.size).toBeGreaterThan(1)
  })
})

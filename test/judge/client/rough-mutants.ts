import { between, isPoll, isStream, type Mutate } from './mutants.ts'

/** A mutant that takes a stream, as it came in packets, for another. */
const listening = (hear: (packets: readonly Uint8Array[]) => void): Mutate =>
  between(() => async (call, world) => {
    const response = await world(call.url, call.init)
    if (!isStream(call) || !response.body) return response
    const packets: Uint8Array[] = []
    for await (const packet of response.body) packets.push(packet)
    hear(packets)
    return new Response(new Blob(packets as BlobPart[]), response)
  })

/** The reference client with one bug that only some scenarios bring out. What each does wrong is its name. */
export const roughMutants = {
  'has one deadline for the whole answer': (step, parts) =>
    between(() => async ({ url, init }, world) => {
      const [late, come] = [new AbortController(), new AbortController()]
      const leave = parts.join?.('deadline')
      const asleep = parts.sleep(30_000, { as: 'deadline', signal: come.signal })
      asleep.then(
        () => late.abort(),
        () => {},
      )
      try {
        const response = await world(url, { ...init, signal: late.signal })
        return new Response(await response.blob(), response)
      } finally {
        come.abort()
        leave?.()
      }
    })(step, parts),
  'tries again what was refused for good': between(() => async ({ url, init }, world) => {
    const response = await world(url, init)
    return response.status >= 400 && response.status < 500
      ? new Response(response.body, { status: 503 })
      : response
  }),
  'takes nonsense for the end': between(() => async (call, world) => {
    const response = await world(call.url, call.init)
    if (!isPoll(call) || !response.ok) return response
    const isSense = await response
      .clone()
      .json()
      .then(({ data }: { data?: object }) => data !== undefined)
      .catch(() => false)
    return isSense ? response : Response.json({ data: { status: 'FAILURE', fail_reason: 'unknown' } })
  }),
  'takes an event that comes again for an error': listening((packets) => {
    const events = Buffer.concat(packets).toString().split('\n\n')
    if (events.some((event, index) => event !== '' && event === events[index + 1])) throw new Error('again')
  }),
  'decodes packet by packet': listening((packets) => {
    for (const packet of packets) new TextDecoder('utf-8', { fatal: true }).decode(packet)
  }),
} satisfies Readonly<Record<string, Mutate>>

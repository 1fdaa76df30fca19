import type { OpenTransport } from './transports.ts'
import { submitVideo } from './video.ts'

/** The work of one of several clients: a video, polled at an interval. */
export interface Part {
  name: string
  everyMs: number
}

export const parts: readonly Part[] = [
  { name: 'worker-a', everyMs: 3_000 },
  { name: 'worker-b', everyMs: 5_000 },
  { name: 'worker-c', everyMs: 5_000 },
]

/** Options with three participants on one clock and some delayed responses. */
export const shared = {
  seed: 7,
  cacheDir: false,
  publicUrl: 'http://127.0.0.1:4646',
  clock: { mode: 'auto', participants: 3 },
  rules: [
    { match: { op: 'video.poll' }, chance: 0.4, delay: { uniform: ['500ms', '4s'] } },
    { match: { op: 'video.submit' }, task: { queued: '2s', render: { uniform: ['6s', '20s'] } } },
  ],
} as const

/**
 * Runs three concurrent clients on one clock, each with work between its calls.
 * @param work lets real time pass; called before each call with the client's name.
 * @returns everything that happened, in order.
 */
export async function liveTogether(
  transport: OpenTransport,
  work: (name: string) => Promise<void>,
): Promise<string[]> {
  await Promise.all(
    parts.map(async ({ name, everyMs }) => {
      const headers = { 'x-greenroom-as': name }
      const authorization = 'Bearer sk-test'
      await work(name)
      await transport.sim.clock.sleep(0, { as: name })
      const id = await submitVideo(transport, { prompt: `a kite of ${name}` }, headers)
      for (let status = ''; status !== 'SUCCESS';) {
        await work(name)
        await transport.sim.clock.sleep(everyMs, { as: name })
        await work(name)
        const response = await transport.call(`/v1/video/generations/${id}`, {
          headers: { authorization, ...headers },
        })
        status = ((await response.json()) as { data: { status: string } }).data.status
      }
      await work(name)
      if (transport.sim.clock.status().participants.expected > 0) transport.sim.clock.leave(name)
    }),
  )
  return transport.sim
    .journal()
    .map(({ number, at, operation, task, reportedStatus, delayMs }) =>
      [number, at, operation, task, reportedStatus, delayMs].join(' '),
    )
}

import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { draw, postDrawing } from '../support/drawing.ts'
import { ask, postChat } from '../support/text.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

const start = Date.UTC(2030, 0, 1)

const assumed = (transport: OpenTransport): boolean[] => transport.sim.journal().map((entry) => entry.assumed)

describeTransports((open) => {
  it('marks each poll whose wait was assumed', async () => {
    const rules = [{ match: { op: 'video.submit' }, task: { queued: '1s', render: '7s' } }]
    await using transport = await open({ rules })
    const id = await submitVideo(transport)
    for (const status of ['IN_PROGRESS', 'SUCCESS', 'SUCCESS']) {
      expect((await pollVideo(transport, id)).status).toBe(status)
    }
    // The last poll moved nothing: its task had ended.
    expect(assumed(transport)).toEqual([false, true, true, false])
    const stuck = await submitVideo(transport, { prompt: '[[stuck]] a kite' })
    await transport.sim.clock.sleep('5s')
    await pollVideo(transport, stuck)
    expect(assumed(transport).at(-1)).toBe(false)
  })

  it('marks a list of tasks as a poll of each', async () => {
    await using transport = await open()
    const { result: id } = await draw(transport, 'submit/imagine', { prompt: 'a red kite' })
    const list = async (): Promise<unknown> =>
      (await postDrawing(transport, 'task/list-by-condition', { ids: [id] })).json()
    await list()
    expect(await list()).toMatchObject([{ id, status: expect.any(String) as unknown }])
    expect(assumed(transport)).toEqual([false, true, true])
    expect(transport.sim.clock.now()).toBeGreaterThan(start)
  })

  it('assumes nothing unless configured', async () => {
    await using transport = await open({ clock: { assume: [] } })
    const id = await submitVideo(transport)
    await pollVideo(transport, id)
    expect(assumed(transport)).toEqual([false, false])
    expect(transport.sim.clock.status()).toMatchObject({ now: start, assumesPollStep: false })
  })

  it('assumes that a refused client waited for its Retry-After, if configured', async () => {
    const throttles = [{ match: { op: 'chat.*' }, rate: { requests: 1, per: '30s' } }]
    await using transport = await open({ throttles, clock: { assume: ['retry-after'] } })
    const statuses: number[] = []
    for (let request = 0; request < 3; request++) {
      statuses.push((await postChat(transport, ask('tell me of kites'))).status)
    }
    expect(statuses).toEqual([200, 429, 200])
    expect(assumed(transport)).toEqual([false, false, true])
    expect(transport.sim.clock.now()).toBe(start + 30_000)
  })

  it('lets a refused client retry too early, unless configured', async () => {
    await using transport = await open({
      throttles: [{ match: { op: 'chat.*' }, rate: { requests: 1, per: '30s' } }],
    })
    await postChat(transport, ask('tell me of kites'))
    await postChat(transport, ask('tell me of kites'))
    expect((await postChat(transport, ask('tell me of kites'))).status).toBe(429)
    expect(transport.sim.clock.now()).toBe(start)
  })
})

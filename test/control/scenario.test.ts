import { expect, it } from 'vitest'
import { createSimulator, parseScenario } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

describeTransports((open) => {
  it('saves the futures that were changed by hand', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const ids = [await submitVideo(transport), await submitVideo(transport), await submitVideo(transport)]
    const change = (id: string, body: object): Promise<Response> =>
      transport.call(`/_greenroom/tasks/${id}/end`, { method: 'POST', body: JSON.stringify(body) })
    expect((await change(ids[0]!, { in: '3m', status: 'FAILURE', reason: 'too dark' })).status).toBe(200)
    expect((await change(ids[1]!, { at: null, status: 'SUCCESS' })).status).toBe(200)
    const text = await (await transport.call('/_greenroom/scenario')).text()

    await using again = await open({ clock: { mode: 'manual' }, scenario: await parseScenario(text) })
    const replayed = [await submitVideo(again), await submitVideo(again), await submitVideo(again)]
    const statesOf = (on: typeof transport, id: string): unknown[] =>
      on.sim.task(id).timeline.map(({ status, reason = '' }) => [status, reason])
    expect(replayed.map((id) => statesOf(again, id))).toEqual(ids.map((id) => statesOf(transport, id)))
    expect(statesOf(again, replayed[0]!).at(-1)).toEqual(['FAILURE', 'too dark'])
    expect(statesOf(again, replayed[1]!).at(-1)).toEqual(['IN_PROGRESS', ''])
    expect(text.match(/nth:/g)).toHaveLength(2)
  })

  it('saves what happened as a scenario that plays the same again', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      seed: 7,
      video: { seconds: { default: 3 } },
    })
    const { sim } = transport
    const play = async (on: typeof transport, atSecond?: (id: string) => void): Promise<unknown[]> => {
      const first = await submitVideo(on, { prompt: 'a kite' })
      const second = await submitVideo(on, { prompt: 'a boat' })
      const polls: unknown[] = []
      const poll = async (id: string): Promise<void> =>
        void polls.push(
          await pollVideo(on, id).then(
            ({ status }) => status,
            () => 'no response',
          ),
        )
      await poll(first)
      if (atSecond) sim.next('video.poll', { fault: 'reset' })
      await poll(second)
      await on.sim.clock.advance('1s')
      atSecond?.(second)
      await on.sim.clock.advance('5m')
      await poll(first)
      await poll(second)
      return [...polls, on.sim.task(second).reason, on.sim.task(second).timeline]
    }
    sim.addRule({ id: 'slow', match: { op: 'video.content' }, delay: '2s' })
    sim.next('videos.list', { fault: 'reset' })
    const before = await play(
      transport,
      (id) => void sim.transition(id, { status: 'FAILURE', reason: 'the power went out' }),
    )
    expect(before.slice(0, 5)).toEqual(['queued', 'no response', 'SUCCESS', 'FAILURE', 'the power went out'])

    const yaml = await transport.call('/_greenroom/scenario')
    expect(yaml.headers.get('content-type')).toBe('text/yaml; charset=utf-8')
    const text = await yaml.text()
    const saved = await transport.call('/_greenroom/scenario', { headers: { accept: 'application/json' } })
    expect(await saved.json()).toEqual({
      text,
      notes: [expect.stringContaining('has not fired'), expect.stringContaining('order of their arrival')],
    })
    const loaded = await parseScenario(text)
    expect(loaded.scenario).toMatchObject({
      seed: '7',
      config: { video: { seconds: { default: 3 } } },
      rules: [
        { match: { op: 'video.submit', task: { nth: 2 } }, task: { reason: 'the power went out' } },
        { match: { op: 'video.poll' }, fault: 'reset', on: 2 },
        { id: 'slow', delay: '2s' },
      ],
    })

    await using again = createSimulator({ scenario: loaded, clock: 'manual' })
    const call = (path: string, init?: RequestInit): Promise<Response> =>
      again.fetch(`https://gateway.example${path}`, init)
    expect(await play({ ...transport, sim: again, call })).toEqual(before)
  })
})

it('leaves keys and what belongs to one server out of a saved scenario', async () => {
  await using sim = createSimulator({
    keys: ['sk-very-secret'],
    controlToken: 'a-token-of-sixteen-signs',
    shard: 3,
  })
  const headers = { authorization: 'Bearer a-token-of-sixteen-signs' }
  const text = await (await sim.fetch('/_greenroom/scenario', { headers })).text()
  expect(text).toMatch(/^# Saved by greenroom .*\n# The keys of the server are left out\.\nversion: 1\n/)
  expect(text).not.toMatch(/secret|sixteen|shard/)
})

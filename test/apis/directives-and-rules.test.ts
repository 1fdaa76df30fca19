import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { draw, drawn, finished, press, pressed } from '../support/drawing.ts'
import { authorization, submitVideo } from '../support/video.ts'

async function submit(transport: OpenTransport, path: string, body: object): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await transport.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = (await response.json()) as { id?: string; result?: string }
  return answer.result ?? answer.id!
}

/** Submits a task with a prompt, and returns its id. */
const submissions: Readonly<Record<string, (transport: OpenTransport, prompt: string) => Promise<string>>> = {
  'video.submit': (transport, prompt) => submitVideo(transport, { prompt }),
  'videos.create': (transport, prompt) => submit(transport, '/v1/videos', { model: 'sora-2', prompt }),
  'mj.imagine': (transport, prompt) => submit(transport, '/mj/submit/imagine', { prompt }),
}

describeTransports((open) => {
  it.each(Object.entries(submissions))(
    "follows a rule's task where a directive in the prompt says otherwise: %s",
    async (op, submitTask) => {
      await using transport = await open({
        clock: { mode: 'manual' },
        rules: [
          {
            match: { op, prompt: '*kite*' },
            task: { outcome: 'failure', reason: 'by the rule', queued: '1s', render: '2s' },
          },
        ],
      })
      const ruled = await submitTask(
        transport,
        'a kite [[fail: by the prompt]] [[queued 40s]] [[render 50s]]',
      )
      const free = await submitTask(transport, 'a boat [[fail: by the prompt]] [[queued 40s]] [[render 50s]]')
      await transport.sim.clock.advance('3s')
      expect(transport.sim.task(ruled)).toMatchObject({ status: 'FAILURE', reason: 'by the rule' })
      expect(transport.sim.task(free).status).not.toBe('FAILURE')
      await transport.sim.clock.advance('87s')
      expect(transport.sim.task(free)).toMatchObject({ status: 'FAILURE', reason: 'by the prompt' })
    },
  )

  it("follows a rule's task where the answer to a dialog has a directive that says otherwise", async () => {
    await using transport = await open({
      rules: [{ match: { op: 'mj.modal' }, task: { outcome: 'failure', reason: 'by the rule' } }],
    })
    const grid = await drawn(transport, 'submit/imagine', { prompt: 'a fox' })
    const enlarged = await pressed(transport, grid, 'U1')
    const { result } = await press(transport, enlarged, 'CustomZoom')
    await draw(transport, 'submit/modal', { taskId: result, prompt: 'a fox [[fail: by the prompt]]' })
    expect(await finished(transport, result)).toMatchObject({ status: 'FAILURE', failReason: 'by the rule' })
  })
})

import { expect, it } from 'vitest'
import { describeDoors, type OpenDoor } from '../support/doors.ts'
import { draw, drawn, finished, press, pressed } from '../support/drawing.ts'
import { authorization, submitVideo } from '../support/video.ts'

async function submit(door: OpenDoor, path: string, body: object): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await door.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = (await response.json()) as { id?: string; result?: string }
  return answer.result ?? answer.id!
}

/** Submits a task with a prompt, and returns its id. */
const submissions: Readonly<Record<string, (door: OpenDoor, prompt: string) => Promise<string>>> = {
  'video.submit': (door, prompt) => submitVideo(door, { prompt }),
  'videos.create': (door, prompt) => submit(door, '/v1/videos', { model: 'sora-2', prompt }),
  'mj.imagine': (door, prompt) => submit(door, '/mj/submit/imagine', { prompt }),
}

describeDoors((open) => {
  it.each(Object.entries(submissions))(
    "follows a rule's task where a directive in the prompt says otherwise: %s",
    async (op, submitTask) => {
      await using door = await open({
        clock: { mode: 'manual' },
        rules: [
          {
            match: { op, prompt: '*kite*' },
            task: { outcome: 'failure', reason: 'by the rule', queued: '1s', render: '2s' },
          },
        ],
      })
      const ruled = await submitTask(door, 'a kite [[fail: by the prompt]] [[queued 40s]] [[render 50s]]')
      const free = await submitTask(door, 'a boat [[fail: by the prompt]] [[queued 40s]] [[render 50s]]')
      await door.sim.clock.advance('3s')
      expect(door.sim.task(ruled)).toMatchObject({ status: 'FAILURE', reason: 'by the rule' })
      expect(door.sim.task(free).status).not.toBe('FAILURE')
      await door.sim.clock.advance('87s')
      expect(door.sim.task(free)).toMatchObject({ status: 'FAILURE', reason: 'by the prompt' })
    },
  )

  it("follows a rule's task where the answer to a dialog has a directive that says otherwise", async () => {
    await using door = await open({
      rules: [{ match: { op: 'mj.modal' }, task: { outcome: 'failure', reason: 'by the rule' } }],
    })
    const grid = await drawn(door, 'submit/imagine', { prompt: 'a fox' })
    const enlarged = await pressed(door, grid, 'U1')
    const { result } = await press(door, enlarged, 'CustomZoom')
    await draw(door, 'submit/modal', { taskId: result, prompt: 'a fox [[fail: by the prompt]]' })
    expect(await finished(door, result)).toMatchObject({ status: 'FAILURE', failReason: 'by the rule' })
  })
})

import { canResubmit, TransportError } from '../client/errors.ts'
import {
  downloadOrRenew,
  pollUntilEnded,
  type EndStatuses,
  type PollResult,
  type StartFlow,
} from '../client/task-result.ts'
import type { FirstClient } from '../define/flow.ts'

/** A video API: where it is called, and how it spells the fields that the client reads. */
export interface VideoDialect {
  readonly path: string
  readonly idField: string
  readonly ends: EndStatuses
  readonly readStatus: (response: Record<string, unknown>) => Omit<PollResult<unknown>, 'record'>
}

/** How it uses the gateway's own endpoints (§1). */
const gatewayDialect: VideoDialect = {
  path: '/v1/video/generations',
  idField: 'task_id',
  ends: { success: 'SUCCESS', failure: 'FAILURE' },
  readStatus: (response) => {
    const { data } = response as { data?: { status?: string; fail_reason?: string } }
    return { status: data?.status, reason: data?.fail_reason }
  },
}

/** How the reference client makes a video: submits, polls and downloads it. */
export const videoFlow =
  ({ path, idField, ends, readStatus }: VideoDialect): StartFlow =>
  async (client, prompt, output) => {
    const { model, shape } = client.settings
    const id = await client.retry(
      async () => {
        const body = { model, prompt, ...shape }
        const { [idField]: id } = await client.json(path, { method: 'POST', body })
        if (typeof id !== 'string') throw new TransportError(`the submission returned no ${idField}`)
        return id
      },
      { canRetry: canResubmit },
    )
    output.tasks.push(id)
    return async () => {
      const followToEnd = (): Promise<unknown> =>
        pollUntilEnded(client, ends, async () => {
          const record = await client.json(`${path}/${id}`)
          return { record, ...readStatus(record) }
        })
      await followToEnd()
      if (!client.settings.download) return
      const content = { path: `/v1/videos/${id}/content`, type: 'video/' }
      output.files.push(await downloadOrRenew(client, followToEnd, content))
    }
  }

export const startVideo = videoFlow(gatewayDialect)

/** The client of `greenroom init`. */
export const firstClient: FirstClient = {
  title: 'makes a video although the gateway is busy at first',
  call: "makeVideo('a red kite')",
  measure: 'byteLength',
  code: `function makeVideo(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const body = { model: 'video-1', prompt }
  const { task_id: id } = await sendJson‹<{ task_id: string }>›('/v1/video/generations', body)
  for (;;) {
    await sleep(5_000)
    const { data } = await sendJson‹<{ data: { status: string; fail_reason: string } }>›(\`/v1/video/generations/\${id}\`)
    if (data.status === 'FAILURE') throw new Error(data.fail_reason)
    if (data.status === 'SUCCESS') break
  }
  return (await send(\`/v1/videos/\${id}/content\`)).arrayBuffer()
}`,
  python: {
    call: 'make_video("a red kite")',
    code: `def make_video(prompt):
    task = send_json("/v1/video/generations", {"model": "video-1", "prompt": prompt})["task_id"]
    while True:
        sleep(5)
        video = send_json(f"/v1/video/generations/{task}")["data"]
        if video["status"] == "FAILURE":
            raise RuntimeError(video["fail_reason"])
        if video["status"] == "SUCCESS":
            return send(f"/v1/videos/{task}/content")`,
  },
}

import { canResubmit, TransportError } from './errors.ts'
import { download, pollUntilEnded, type PollResult, type StartFlow } from './task-result.ts'

/** A video API: where it is called, and how it spells the fields that the client reads. */
interface VideoDialect {
  readonly path: string
  readonly idField: string
  readonly readStatus: (response: Record<string, unknown>) => Omit<PollResult<unknown>, 'record'>
}

/** The gateway's own endpoints (§1). */
const gatewayDialect: VideoDialect = {
  path: '/v1/video/generations',
  idField: 'task_id',
  readStatus: (response) => {
    const { data } = response as { data?: { status?: string; fail_reason?: string } }
    return { status: data?.status, reason: data?.fail_reason }
  },
}

/** OpenAI's Videos API. */
const openaiDialect: VideoDialect = {
  path: '/v1/videos',
  idField: 'id',
  readStatus: (response) => {
    const { status, error } = response as { status?: string; error?: { message?: string } }
    return { status, reason: error?.message }
  },
}

/** Submits, polls and downloads a video. */
const startFlow =
  ({ path, idField, readStatus }: VideoDialect): StartFlow =>
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
      await pollUntilEnded(client, async () => {
        const record = await client.json(`${path}/${id}`)
        return { record, ...readStatus(record) }
      })
      if (!client.settings.download) return
      output.files.push(await download(client, `/v1/videos/${id}/content`, 'video/'))
    }
  }

export const startVideo = startFlow(gatewayDialect)
export const startOpenaiVideo = startFlow(openaiDialect)

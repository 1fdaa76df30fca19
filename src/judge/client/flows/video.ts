import { download } from '../download.ts'
import { pollUntilEnded } from '../poll.ts'
import { TransportError } from '../errors.ts'
import type { FlowStart } from './flow.ts'

/** §2.2, as far as a client reads it. */
interface PolledVideo {
  readonly status: string
  readonly fail_reason?: string
}

/** Submit, poll, download: the gateway's own endpoints (§1). */
export const startVideo: FlowStart = async (caller, prompt, made) => {
  const { model, shape } = caller.settings
  const body = { model, prompt, ...shape }
  const id = await caller.trying(async () => {
    const { task_id } = await caller.json('/v1/video/generations', { method: 'POST', body })
    if (typeof task_id !== 'string') throw new TransportError('the submission was answered without a task_id')
    return task_id
  })
  made.tasks.push(id)
  return async () => {
    await pollUntilEnded(caller, async () => {
      const { data } = (await caller.json(`/v1/video/generations/${id}`)) as { data?: PolledVideo }
      if (typeof data?.status !== 'string') throw new TransportError('the poll was answered without a status')
      return { record: data, state: stateOf(data.status), reason: data.fail_reason }
    })
    if (!caller.settings.download) return
    made.files.push(await download(caller, `/v1/videos/${id}/content`, 'video/'))
  }
}

function stateOf(status: string): 'going' | 'succeeded' | 'failed' {
  return status === 'SUCCESS' ? 'succeeded' : status === 'FAILURE' ? 'failed' : 'going'
}

import { download } from '../download.ts'
import { pollUntilEnded } from '../poll.ts'
import { TransportError } from '../errors.ts'
import type { FlowStart } from './flow.ts'

interface VideoObject {
  readonly status?: string
  readonly error?: { readonly message?: string }
}

/** The same by OpenAI's Videos API: create, retrieve, download. */
export const startOpenaiVideo: FlowStart = async (caller, prompt, made) => {
  const { model, shape } = caller.settings
  const body = { model, prompt, ...shape }
  const id = await caller.trying(async () => {
    const { id: given } = await caller.json('/v1/videos', { method: 'POST', body })
    if (typeof given !== 'string') throw new TransportError('the video was created without an id')
    return given
  })
  made.tasks.push(id)
  return async () => {
    await pollUntilEnded(caller, async () => {
      const record = (await caller.json(`/v1/videos/${id}`)) as VideoObject
      if (typeof record.status !== 'string')
        throw new TransportError('the video was retrieved without a status')
      return { record, state: stateOf(record.status), reason: record.error?.message }
    })
    if (!caller.settings.download) return
    made.files.push(await download(caller, `/v1/videos/${id}/content`, 'video/'))
  }
}

function stateOf(status: string): 'going' | 'succeeded' | 'failed' {
  return status === 'completed' ? 'succeeded' : status === 'failed' ? 'failed' : 'going'
}

import { videoFlow, type VideoDialect } from '../flow.ts'
import type { FirstClient } from '../../define/flow.ts'

/** How the reference client uses OpenAI's Videos API. */
const openaiDialect: VideoDialect = {
  path: '/v1/videos',
  idField: 'id',
  ends: { success: 'completed', failure: 'failed' },
  readStatus: (response) => {
    const { status, error } = response as { status?: string; error?: { message?: string } }
    return { status, reason: error?.message }
  },
}

export const startOpenaiVideo = videoFlow(openaiDialect)

/** The client of `greenroom init`. */
export const firstClient: FirstClient = {
  title: 'makes a video although the gateway is busy at first',
  call: "makeVideo('a red kite')",
  measure: 'byteLength',
  code: `function makeVideo(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const { id } = await sendJson‹<{ id: string }>›('/v1/videos', { model: 'video-1', prompt })
  for (;;) {
    await sleep(5_000)
    const { status } = await sendJson‹<{ status: string }>›(\`/v1/videos/\${id}\`)
    if (status === 'failed') throw new Error(\`video \${id} failed\`)
    if (status === 'completed') break
  }
  return (await send(\`/v1/videos/\${id}/content\`)).arrayBuffer()
}`,
}

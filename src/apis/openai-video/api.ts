import { defineApi } from '../define/api.ts'
import { videoKeys } from '../define/flow.ts'
import { videoContent } from '../video/content.ts'
import { videosCreate } from './create.ts'
import { videosDelete } from './delete.ts'
import { videosList } from './list.ts'
import { videosRemix } from './remix.ts'
import { videosRetrieve } from './retrieve.ts'
import { readVideoState } from '../video/observed.ts'

/** OpenAI's Videos API over the same tasks. It has no download of its own: `video.content` has the path of both. */
export const openaiVideoApi = defineApi({
  name: 'openai-video',
  operations: [videosCreate, videosRetrieve, videosRemix, videosList, videosDelete],
  flows: [
    {
      name: 'openai-video',
      summary: 'POST /v1/videos, as OpenAI',
      operations: { submit: videosCreate.name, poll: videosRetrieve.name, download: videoContent.name },
      reads: videoKeys,
      model: 'video-1',
      observe: readVideoState,
      load: async () => (await import('./flow.ts')).startOpenaiVideo,
      first: {
        variables: { OPENAI_BASE_URL: '${url}/v1', OPENAI_API_KEY: '${key}' },
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
  ],
})

import { defineApi } from '../define/api.ts'
import { videosCreate } from './create.ts'
import { videosDelete } from './delete.ts'
import { videosList } from './list.ts'
import { videosRemix } from './remix.ts'
import { videosRetrieve } from './retrieve.ts'

/** OpenAI's Videos API over the same tasks. It has no download of its own: `video.content` has the path of both. */
export const openaiVideoApi = defineApi({
  name: 'openai-video',
  operations: [videosCreate, videosRetrieve, videosRemix, videosList, videosDelete],
})

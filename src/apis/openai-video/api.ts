import { openaiVariables } from '../chat/api.ts'
import { quirk } from '../../scenario/schema/fields.ts'
import { videoSettings } from '../video/settings.ts'
import { defineApi } from '../define/api.ts'
import { videoErrors } from '../define/operation-schema.ts'
import { videoKeys } from '../define/flow.ts'
import { videoContent } from '../video/content.ts'
import { videosCreate } from './create.ts'
import { videosRetrieve } from './retrieve.ts'
import { readVideoState } from '../video/lifecycle.ts'
import * as lists from './lists.ts'

/** OpenAI's Videos API over the same tasks. It has no download of its own: `video.content` has the path of both. */
export const openaiVideoApi = defineApi({
  name: 'openai-video',
  readSettings: videoSettings,
  title: 'Videos API',
  description: "OpenAI's Videos API over the same tasks.",
  error: videoErrors,
  settings: {
    quirks: {
      openaiVideoStyle: quirk(
        ['gateway', 'openai'],
        "The JSON of a video in the Videos API: the gateway's, with `task_id`, `usage` and `metadata`, or exactly OpenAI's `Video`.",
      ),
    },
  },
  samples: [
    {
      client: 'OpenAI SDK',
      lines: [
        "const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' })",
        "const video = await client.videos.create({ model: 'video-1', prompt: 'a paper boat in the rain' })",
      ],
    },
  ],
  ...lists,
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
        variables: openaiVariables,
        calledBy: /\bvideos\.create\(|\/v1\/videos\b/,
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
  ],
})

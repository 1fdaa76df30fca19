import { defineApi } from '../define/api.ts'
import { videoKeys } from '../define/flow.ts'
import { videoContent } from './content.ts'
import { videoLifecycle } from './lifecycle.ts'
import { videoPoll } from './poll.ts'
import { videoSubmit } from './submit.ts'
import { readVideoState } from './observed.ts'

/** The gateway's own video API (§4.1–4.3). @assumed §4.3 HEAD is undocumented; wire §5 proposes it. */
export const videoApi = defineApi({
  name: 'video',
  lifecycles: [videoLifecycle],
  operations: [videoSubmit, videoPoll, videoContent],
  flows: [
    {
      name: 'video',
      summary: 'POST /v1/video/generations',
      operations: { submit: videoSubmit.name, poll: videoPoll.name, download: videoContent.name },
      reads: videoKeys,
      model: 'video-1',
      observe: ({ data }) => readVideoState((data ?? {}) as Record<string, unknown>),
      load: async () => (await import('./flow.ts')).startVideo,
      first: {
        variables: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
  ],
})

import { expiredResults } from '../define/exploration.ts'
import { handlers } from '../other-apis.ts'
import { videoErrors } from '../define/operation-schema.ts'
import { defineApi, type TaskKind } from '../define/api.ts'
import { videoKeys } from '../define/flow.ts'
import { videoContent } from './content.ts'
import { videoPoll, pollBody } from './poll.ts'
import { videoSubmit } from './submit.ts'
import { readVideoState, videoLifecycle } from './lifecycle.ts'
import { ownVideoSettings, videoSettings } from './settings.ts'
import { videoSamples } from './samples.ts'
import * as lists from './lists.ts'
import { viewAt } from '../../engine/tasks/timeline.ts'
import { clipsToMake, mediaOfTask, storedVideo } from './task.ts'

/** Tasks of the video APIs. */
const videoKind: TaskKind = {
  lifecycle: videoLifecycle,
  request: storedVideo,
  makes: () => 'video',
  clipsOf: clipsToMake,
  mediaOf: (task) => mediaOfTask(task),
  posterOf: (task) => mediaOfTask(task),
  tryPoll: (task, now) => {
    pollBody(task, viewAt(task.timeline, task.lifecycle, now), '')
    mediaOfTask(task)
  },
}

const videos = `Videos are made by POST /v1/video/generations (video.submit). ${handlers}`
const polls = `Videos are polled by GET /v1/video/generations/{task_id} (video.poll). ${handlers}`

/** The gateway's own video API (§4.1–4.3). @assumed §4.3 HEAD is undocumented; wire §5 proposes it. */
export const videoApi = defineApi({
  name: 'video',
  readSettings: videoSettings,
  title: 'Video',
  description: "The gateway's own video API.",
  error: videoErrors,
  base: { name: 'video', path: '/v1/video/generations' },
  samples: videoSamples,
  modelKind: 'video',
  kinds: [videoKind],
  settings: ownVideoSettings,
  exploration: {
    variants: [
      {
        id: 'redirected downloads',
        operation: 'video.content',
        advice: 'A gateway may redirect a download to where the file is: follow redirects.',
        quirks: { contentDelivery: 'redirect' },
      },
      {
        id: 'upstream statuses',
        operation: 'video.poll',
        advice: 'Gateways spell statuses in two ways: know both, such as SUCCESS and completed.',
        quirks: { videoStatusStyle: 'upstream' },
      },
      expiredResults('expired videos', 'video.content'),
    ],
    // §2.2: the field may be absent.
    absentReason: { match: { op: 'video.poll' }, respond: { omit: ['data.fail_reason'] } },
    unknownStatus: {
      body: { code: 'success', message: '', data: { status: 'MODERATING', progress: '7%' } },
    },
  },
  instead: [
    [
      /^\/v1\/videos\/(?:edits|extensions|characters)(?:\/|$)/,
      `Edits, extensions and characters of videos are not offered. ${videos}`,
    ],
    [
      /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)predictLongRunning$/i,
      `predictLongRunning is not offered. ${videos}`,
    ],
    [/^\/v1(?:beta)?\/(?:models\/[^/]+\/)?operations\/[^/]+$/, `Operations are not offered. ${polls}`],
    [
      /^\/(?:kling|jimeng|vidu|runway\w*|luma|pika|minimax|hailuo)\//,
      `This video API is not offered. ${videos}`,
    ],
  ],
  ...lists,
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
        calledBy: /\/video\/generations\b/,
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
  ],
})

import * as z from 'zod/mini'
import { may } from '../../scenario/schema/fields.ts'
import { expiredResults, rulePrefix, type Variant } from '../define/exploration.ts'
import type { ApiFlow } from '../define/flow.ts'
import { lifecycleSetting } from '../define/lifecycle-setting.ts'
import { settingsOfJobs } from '../jobs/request/settings.ts'
import { handlers } from '../other-apis.ts'
import { readVideoState } from './states.ts'

/** The keys that flows of videos read. */
export const videoKeys: ApiFlow['reads'] = ['model', 'seconds', 'size', 'pollEvery', 'download', 'verify']

const videos = `Videos are made by POST /v1/video/generations (video.submit). ${handlers}`
const polls = `Videos are polled by GET /v1/video/generations/{task_id} (video.poll). ${handlers}`

const flow: ApiFlow = {
  name: 'video',
  summary: 'POST /v1/video/generations',
  operations: { submit: 'video.submit', poll: 'video.poll', download: 'video.content' },
  reads: videoKeys,
  model: 'video-1',
  observe: ({ data }) => readVideoState((data ?? {}) as Record<string, unknown>),
  load: async () => (await import('./flow.ts')).startVideo,
  first: {
    variables: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
    calledBy: /\/video\/generations\b/,
    load: async () => (await import('./flow.ts')).firstClient,
  },
}

const ownSettings = {
  listAndDelete: may(
    z.boolean(),
    'Whether `GET /v1/videos` and `DELETE /v1/videos/{id}` work; the gateway does not offer them. Default false.',
    true,
  ),
  lifecycle: may(lifecycleSetting, "Replaces the states' times, weights and progress.", {
    initial: 'queued',
    states: { queued: { after: '1s', to: 'IN_PROGRESS' } },
  }),
}

/**
 * A gateway that does not know a new task at first. The task is queued long enough for each client to poll it in that time.
 */
const pollsWithoutData: Variant = {
  id: 'polls without data',
  operation: 'video.poll',
  isUnread: true,
  advice:
    'A poll with status 200 may have another code than success, and no data: look at the code first, and poll again for a while.',
  quirks: { videoQueuedPolls: 'no-data' },
  rules: [
    {
      id: `${rulePrefix}long-queue`,
      optional: true,
      match: { op: 'video.submit' },
      continue: true,
      task: { queued: '25s' },
    },
  ],
}

/** What clients, docs and explorations know of the video API besides its definition. */
export const gatewayFacts = {
  description: "The gateway's own video API.",
  settings: settingsOfJobs(ownSettings),
  base: { name: 'video', path: '/v1/video/generations' },
  modelKind: 'video',
  flows: [flow],
  exploration: {
    variants: [pollsWithoutData, expiredResults('expired videos', 'video.content')],
    // §2.2: the field may be absent.
    absentReason: { match: { op: 'video.poll' }, respond: { omit: ['data.fail_reason'] } },
    unknownStatus: {
      body: { code: 'success', message: '', data: { status: 'MODERATING', progress: '7%' } },
    },
  },
  samples: [
    {
      client: 'curl',
      comment: 'Submit, poll, download: paste these lines into a shell.',
      lines: [
        "TASK=$(curl -fsS ${url}/v1/video/generations -H 'Authorization: Bearer ${key}' " +
          `-H 'Content-Type: application/json' -d '{"model":"video-1","prompt":"a paper boat in the rain"}' ` +
          `| sed -n 's/.*"task_id":"\\([^"]*\\)".*/\\1/p'); echo $TASK`,
        "until curl -s ${url}/v1/video/generations/$TASK -H 'Authorization: Bearer ${key}' " +
          `| tee /dev/stderr | grep -qE 'SUCCESS|FAILURE|error'; do sleep 5; done`,
        "curl -fL ${url}/v1/videos/$TASK/content -H 'Authorization: Bearer ${key}' -o clip.mp4",
      ],
    },
  ],
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
} as const

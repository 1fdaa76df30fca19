import { expiredResults, rulePrefix } from '../define/exploration.ts'
import { defineApi, type TaskKind } from '../define/api.ts'
import type { ObservedState } from '../define/flow.ts'
import { drawingSettings, ownDrawingSettings } from './settings.ts'
import { drawingLifecycle } from './lifecycle.ts'
import { mjFetch } from './read/fetch.ts'
import { mjImage } from './read/image.ts'
import { mjImagine } from './submit/imagine.ts'
import * as lists from './lists.ts'
import { credentialOf } from '../../gateway/accounts/keys.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { viewAt } from '../../engine/tasks/timeline.ts'
import type { MediaSpec } from '../../media/spec.ts'
import { drawingRecord } from './record.ts'
import { findDrawing } from './images.ts'
import { drawingRequest, mediaFor, storedDrawing } from './result.ts'

/** Tasks of the drawing channel. */
const drawingKind: TaskKind = {
  lifecycle: drawingLifecycle,
  request: storedDrawing,
  makes: () => 'image',
  clipsOf: () => [],
  mediaOf: posterOf,
  posterOf,
  tryPoll: (task, now, draws) => {
    drawingRecord(task, { view: viewAt(task.timeline, task.lifecycle, now), now, origin: '', draws })
  },
  findDrawing,
}

function posterOf(task: Task): MediaSpec | undefined {
  const { drawing } = drawingRequest(task)
  return drawing && mediaFor(task, { kind: 'picture', drawing }, undefined)
}

const submissions = lists.operations.filter(({ facts }) => facts.role === 'submit')

function readDrawingState({
  status,
  progress,
  failReason,
}: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const known = drawingLifecycle.states[String(status)]
  // A recorded timeline has no states that wait for the client.
  return known === undefined || known.on !== undefined
    ? undefined
    : { status: String(status), progress, reason: failReason }
}

const keyHeader = 'mj-api-secret'

/**
 * Reads the key from the header of drawing proxies, unless `Authorization` has one.
 * @assumed §5 this header is undocumented; wire §1.2.
 */
function drawingCredential({ request }: Exchange): string {
  const sent = credentialOf(request)
  return sent !== '' && sent !== 'midjourney-proxy' ? sent : credentialOf(request, keyHeader)
}

const variables = { MJ_SERVER: '${url}', MJ_API_SECRET: '${key}' }

/** The drawing channel (§4.4–4.6), and what the stand-alone proxies add to it. */
export const drawingApi = defineApi({
  name: 'drawing',
  readSettings: drawingSettings,
  title: 'Drawing',
  description: 'The drawing channel. Its paths may name a mode: `/mj-fast/mj/submit/imagine`.',
  keys: [
    { id: 'drawingKey', in: 'header', name: keyHeader, description: 'A key, as drawing proxies take it.' },
  ],
  credential: () => drawingCredential,
  base: { name: 'drawing', path: '/mj' },
  variables,
  modelKind: 'drawing',
  prices: [{ models: 'mj_*', perTask: 0.05 }],
  kinds: [drawingKind],
  settings: ownDrawingSettings,
  exploration: {
    variants: [
      {
        id: 'drawings as text',
        operation: 'mj.imagine',
        advice: 'A gateway may send its JSON as text/plain: parse the body without a look at its media type.',
        quirks: { drawingContentType: 'text' },
      },
      expiredResults('expired images', 'mj.image'),
      {
        id: 'previews that end',
        operation: 'mj.image',
        advice: 'The link of a preview ends with the task: download from the link of the last poll.',
        rules: [
          // Slow enough for a poll to see a preview.
          {
            id: `${rulePrefix}slow-drawing`,
            optional: true,
            match: { op: submissions.map(({ name }) => name) },
            task: { queued: '5s', render: '60s' },
          },
          {
            // The link of an unfinished drawing has this parameter.
            id: `${rulePrefix}preview`,
            optional: true,
            match: { op: 'mj.image', state: 'SUCCESS', query: { rand: { exists: true } } },
            respond: { status: 404 },
          },
        ],
      },
    ],
    fullQueue: {
      id: 'code 23',
      description: 'Code 23: the queue is full.',
      respond: { code: 23, description: 'Queue full' },
    },
    absentReason: { match: { op: 'mj.fetch' }, respond: { omit: ['failReason'] } },
  },
  ...lists,
  flows: [
    {
      name: 'drawing',
      summary: 'POST /mj/submit/imagine',
      operations: { submit: mjImagine.name, poll: mjFetch.name, download: mjImage.name },
      reads: ['pollEvery', 'download', 'verify', 'actions'],
      observe: readDrawingState,
      load: async () => (await import('./client/flow.ts')).startDrawing,
      first: {
        variables,
        calledBy: /\/mj\/submit\//,
        load: async () => (await import('./client/flow.ts')).firstClient,
      },
    },
  ],
})

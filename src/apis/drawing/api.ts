import { once } from '../../engine/once.ts'
import { expiredResults, rulePrefix } from '../define/exploration.ts'
import type { ObservedState } from '../define/flow.ts'
import { credentialOf } from '../../gateway/accounts/keys.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import * as z from 'zod/mini'
import { defineJobs } from '../jobs/define-jobs.ts'
import { modalFollowsItsAction } from './client/modal-follows-its-action.ts'
import { drawing } from './definition.ts'
import { findDrawing } from './images.ts'
import { lifecycle } from './lifecycle.ts'
import { drawingInput } from './result.ts'
import { notifiedHosts, ownDrawingSettings } from './settings.ts'

const submissions = Object.entries(drawing.operations).flatMap(([key, { role }]) =>
  role === 'submit' ? [`mj.${key}`] : [],
)

function readDrawingState({
  status,
  progress,
  failReason,
}: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const known = lifecycle.states[String(status)]
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
export const drawingApi = defineJobs(drawing, {
  description: 'The drawing channel. Its paths may name a mode: `/mj-fast/mj/submit/imagine`.',
  keys: [
    { id: 'drawingKey', in: 'header', name: keyHeader, description: 'A key, as drawing proxies take it.' },
  ],
  credential: drawingCredential,
  base: { name: 'drawing', path: '/mj' },
  variables,
  modelKind: 'drawing',
  prices: [{ models: 'mj_*', perTask: 0.05 }],
  kind: (kind) => ({
    ...kind,
    request: once(() => z.extend(kind.request(), { input: drawingInput() })),
    findDrawing,
  }),
  webhookHosts: notifiedHosts,
  invariants: [modalFollowsItsAction],
  settings: ownDrawingSettings,
  exploration: {
    variants: [
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
            match: { op: submissions },
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
  flows: [
    {
      name: 'drawing',
      summary: 'POST /mj/submit/imagine',
      operations: { submit: 'mj.imagine', poll: 'mj.fetch', download: 'mj.image' },
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

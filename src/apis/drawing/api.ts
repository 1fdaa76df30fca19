import { expiredResults } from '../define/exploration.ts'
import { defineApi } from '../define/api.ts'
import type { ObservedState } from '../define/flow.ts'
import { Hooks } from './hooks.ts'
import { drawingSettings, mayReport } from './settings.ts'
import { drawingKind } from './read/kind.ts'
import { drawingLifecycle } from './lifecycle.ts'
import { mjCancel } from './read/cancel.ts'
import { mjFetch } from './read/fetch.ts'
import { mjClip, mjImage, mjUploaded } from './read/image.ts'
import { mjAll, mjList, mjQueue } from './read/list.ts'
import { mjSeed } from './read/seed.ts'
import { mjAction } from './submit/action.ts'
import { mjBlend } from './submit/blend.ts'
import { mjChange, mjSimpleChange } from './submit/change.ts'
import { mjDescribe } from './submit/describe.ts'
import { mjEdits } from './submit/edits.ts'
import { mjImagine } from './submit/imagine.ts'
import { mjModal } from './submit/modal.ts'
import { mjShorten } from './submit/shorten.ts'
import { mjSwap } from './submit/swap.ts'
import { mjUpload } from './submit/upload.ts'
import { mjVideo } from './submit/video.ts'

const operations = [
  mjImagine,
  mjAction,
  mjChange,
  mjSimpleChange,
  mjBlend,
  mjDescribe,
  mjModal,
  mjShorten,
  mjEdits,
  mjVideo,
  mjUpload,
  mjSwap,
  mjFetch,
  mjList,
  mjSeed,
  mjImage,
  mjClip,
  mjUploaded,
  mjAll,
  mjQueue,
  mjCancel,
] as const

const submissions = operations.filter(({ facts }) => facts.role === 'submit')

/** States that a dialog or a cancellation causes are none of a recorded timeline. */
const observedStates = ['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE']

function readDrawingState({
  status,
  progress,
  failReason,
}: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const known = observedStates.find((state) => state === status)
  return known === undefined ? undefined : { status: known, progress, reason: failReason }
}

/** The drawing channel (§4.4–4.6), and what the stand-alone proxies add to it. */
export const drawingApi = defineApi({
  name: 'drawing',
  kinds: [drawingKind],
  attach: ({ engine, use }) => {
    const hooks = new Hooks(engine)
    return {
      close: () => hooks.close(),
      resume: (task, savedAt) => hooks.resume(task, savedAt),
      refuse: ({ lifecycle }, field, text) =>
        lifecycle !== drawingLifecycle.name ||
        field !== 'hook' ||
        mayReport(text, use(drawingSettings).notifyHook)
          ? undefined
          : `reports to ${JSON.stringify(text)}, which drawing.notifyHook doesn't allow`,
    }
  },
  exploration: {
    variants: [
      { id: 'drawings as text', operation: 'mj.imagine', quirks: { drawingContentType: 'text' } },
      expiredResults('expired images', 'mj.image'),
      {
        id: 'previews that end',
        operation: 'mj.image',
        rules: [
          // Slow enough for a poll to see a preview.
          {
            id: 'fault-slow-drawing',
            optional: true,
            match: { op: submissions.map(({ name }) => name) },
            task: { queued: '5s', render: '60s' },
          },
          {
            // The link of an unfinished drawing has this parameter.
            id: 'fault-preview',
            optional: true,
            match: { op: 'mj.image', state: 'SUCCESS', query: { rand: { exists: true } } },
            respond: { status: 404 },
          },
        ],
      },
    ],
    fullQueue: { code: 23, description: 'Queue full' },
    absentReason: { match: { op: 'mj.fetch' }, respond: { omit: ['failReason'] } },
  },
  operations,
  flows: [
    {
      name: 'drawing',
      summary: 'POST /mj/submit/imagine',
      operations: { submit: mjImagine.name, poll: mjFetch.name, download: mjImage.name },
      reads: ['pollEvery', 'download', 'verify', 'actions'],
      observe: readDrawingState,
      load: async () => (await import('./client/flow.ts')).startDrawing,
      first: {
        variables: { MJ_SERVER: '${url}', MJ_API_SECRET: '${key}' },
        load: async () => (await import('./client/flow.ts')).firstClient,
      },
    },
  ],
})

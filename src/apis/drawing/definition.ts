import { cachedForADay } from '../../gateway/replies/headers.ts'
import type { ApiDefinition } from '../jobs/kit/definition.ts'
import { answer, download, kitFor, type DefinitionWords } from '../jobs/kit/operations.ts'
import { lifecycle, routeOf, states } from './lifecycle.ts'
import { listForm, readIds, refuseList } from './list.ts'
import { drawingRecord } from './record.ts'
import { envelope, invalidDrawing } from './refusals.ts'
import { action } from './submit/action.ts'
import { blend } from './submit/blend.ts'
import { change, changeInWords } from './submit/change.ts'
import { describe } from './submit/describe.ts'
import { imagine } from './submit/imagine.ts'
import { modal } from './submit/modal.ts'
import { upload, uploaded } from './uploads.ts'

const words = {
  states,
  quirks: {
    drawingContentType: {
      values: ['json', 'text'],
      description:
        'The media type of responses to drawing submissions. The real gateway does not set it, which results in `text`.',
      profiles: { upstream: 'text' },
      variant: {
        id: 'drawings as text',
        operation: 'imagine',
        advice: 'A gateway may send its JSON as text/plain: parse the body without a look at its media type.',
      },
    },
  },
} as const satisfies DefinitionWords

const { poll, pages } = kitFor(words)

/** @assumed §4.5 the media type of fetches is undocumented; wire §1.3: without a charset. */
const contentType = 'application/json'

/** @assumed §7 the answers to unknown and missing images are undocumented; wire §7.5. */
const noImage = { status: 400, message: 'midjourney_task_not_found' }

/** The drawing channel (§4.4–4.6), and what the stand-alone proxies add to it. */
export const drawing = {
  name: 'drawing',
  title: 'Drawing',
  prefix: 'mj',
  draws: 'mj',
  modelPrefix: 'mj_',
  ...words,
  lifecycle,
  makes: 'image',
  /** A numeric text (§2.4). */
  id: { prefix: '1', length: 15, of: '0123456789' },
  contentType: ({ drawingContentType: type }) =>
    `${type === 'json' ? 'application/json' : 'text/plain'}; charset=utf-8`,
  error: envelope,
  /**
   * The callback of a drawing, at each change of its status or progress. It is sent once, whatever its receiver answers.
   * @assumed §6 callbacks are undocumented; wire §7.9.
   */
  webhook: {
    name: 'notify',
    to: ({ body }) => body['notifyHook'],
    refuses: (url) =>
      invalidDrawing(
        'parameter',
        `notifyHook is ${JSON.stringify(url).slice(0, 120)}: only http(s) addresses on this machine are called, ` +
          'or on hosts named in drawing.notifyHook.',
      ),
    advice: 'drawing.notifyHook of the config allows hosts.',
    on: 'all',
    contentType,
    like: 'fetch',
    body: drawingRecord,
  },
  operations: {
    imagine,
    blend,
    describe,
    action,
    change,
    'simple-change': changeInWords,
    modal,
    upload,
    /** @assumed §7 the answer to an unknown task is undocumented; wire §2.4 and §7.5, with the same misspelling. */
    fetch: poll({
      ...routeOf('GET /mj/task/{id}/fetch'),
      summary: 'Poll a drawing',
      refusals: { unknownJob: { status: 400, message: 'task_no_found' } },
      contentType,
      goldens: true,
      reply: drawingRecord,
    }),
    /**
     * Tasks by their ids, without unknown ones.
     * @assumed §4.5 the list of drawings by id is undocumented; wire §7.5.
     */
    list: pages({
      ...routeOf('POST /mj/task/list-by-condition'),
      summary: 'Poll several drawings',
      malformed: refuseList,
      contentType,
      body: listForm,
      goldens: true,
      ids: ({ body }) => readIds(body),
      reply: drawingRecord,
    }),
    /**
     * The image of a task, finished or in progress.
     * @assumed §2.5 the response of the URL is undocumented; wire §7.5. Headers as for videos, wire §5.
     */
    image: download({
      ...routeOf('GET HEAD /mj/image/{id}'),
      summary: 'Download an image',
      refusals: {
        unknownJob: noImage,
        noResult: noImage,
        expired: { status: 403, message: 'This link has expired' },
      },
      makes: 'image',
      previews: true,
      sides: ['width', 'height'],
      headers: ({ isDone }) => (isDone ? cachedForADay : { 'Cache-Control': 'no-store' }),
      failed: answer(500, { error: 'http_get_image_failed' }),
    }),
    uploaded,
  },
} as const satisfies ApiDefinition

import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation } from '../../define/operation.ts'
import { drawingRecord } from '../record.ts'
import { drawingSettings, mayReport } from '../settings.ts'
import { recordHeaders, unknownTask } from './fetch.ts'

/** How long a receiver may take. */
export const timeoutMs = 5_000

/**
 * The callback of a drawing, at each change of its status or progress. It is sent once, whatever its receiver answers.
 * @assumed §6 callbacks are undocumented; wire §7.9.
 */
export const mjNotify = defineOperation(
  {
    name: 'mj.notify',
    summary: 'Send a change of a drawing to its notifyHook',
    role: 'report',
    tasks: 'drawing',
    route: 'POST {notifyHook}',
    task: 'id',
    schema: () => ({ like: 'mj.fetch' }),
  },
  (core) => {
    const { notifyHook } = core.use(drawingSettings)
    return {
      task: { unknown: unknownTask },
      callback: {
        changeOf: (_task, { state, progress }) => `${state} ${progress}`,
        mayCall: (url) => mayReport(url, notifyHook),
        advice: 'drawing.notifyHook of the config allows hosts.',
        timeoutMs,
        retriesMs: [],
        accepts: (status) => status >= 200 && status < 300,
      },
      respond: (x) => {
        const { origin, draws, viewedAt: now } = x
        const record = drawingRecord(x.task!, { view: x.view!, now, origin, draws, links: x.core.links })
        return jsonReply(200, record, recordHeaders)
      },
    }
  },
)

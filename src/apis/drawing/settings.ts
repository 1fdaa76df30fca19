import * as z from 'zod/mini'
import { callsOut, may, must, quirk } from '../../scenario/schema/fields.ts'
import { list, positive, text, wholeNumber } from '../../scenario/schema/values.ts'
import { lifecycleSetting } from '../define/lifecycle-setting.ts'
import { normalizeHosts } from '../../media/received/fetch-allow.ts'
import type { Core } from '../../gateway/core.ts'
import { jobSettings, type JobSettings } from '../jobs/request/settings.ts'
import { isDrawing } from './result.ts'
import { Workers } from '../../engine/tasks/workers.ts'

/** What options, config and scenario files set of drawings. */
const drawingOptions = {
  drawing: may(
    z.lazy(() =>
      z.strictObject({
        accountFilter: may(
          z.boolean(),
          'Whether `accountFilter` has an effect; the gateway removes it from requests. Default false.',
          true,
        ),
        notifyHook: callsOut(
          may(
            z.union([
              z.boolean(),
              z.array(text(1)),
              z.strictObject({
                allow: must(z.array(text(1)), 'Hosts that get notifications, apart from this machine.', [
                  'hooks.internal',
                ]),
              }),
            ]),
            'Whether each change of a task is posted to its `notifyHook`, on this machine and on the allowed hosts. The gateway removes `notifyHook` from requests. Default false.',
            true,
            { allow: ['hooks.internal'] },
          ),
        ),
        proxyCalls: may(
          z.boolean(),
          'Whether the calls of stand-alone proxies work: list, queue and cancel. Default false.',
          true,
        ),
        bannedWords: may(z.array(text(1)), 'Words that a prompt must not contain.', ['gore']),
        queue: may(
          z.strictObject({
            running: must(positive(), 'The maximum number of tasks that render at a time.', 3),
            waiting: must(wholeNumber(0), 'The maximum number of waiting tasks.', 10),
          }),
          'The queue of each namespace. Default: unlimited.',
          { running: 3, waiting: 10 },
        ),
        lifecycle: may(lifecycleSetting, "Replaces the states' times, weights and progress.", {
          initial: 'NOT_START',
          states: { NOT_START: { after: '1s', to: 'SUBMITTED' } },
        }),
      }),
    ),
    'How the drawing channel behaves.',
    { queue: { running: 3, waiting: 10 } },
  ),
}

/** The settings of the drawing API, which shares limits with video. */
export interface DrawingSettings extends Pick<
  JobSettings,
  'timing' | 'promptDirectives' | 'promptLimitCharacters' | 'imageLimitBytes'
> {
  /** The billing names of the models, such as `mj_imagine`; all by default. */
  readonly models: readonly string[] | undefined
  /** Whether `accountFilter` takes effect. By default, the gateway removes it. */
  readonly accountFilter: boolean
  /**
   * Whether `notifyHook` takes effect, and which hosts it may name besides this machine: names or IP addresses, without port.
   * False removes it.
   */
  readonly notifyHook: false | { readonly allow: readonly string[] }
  /** Words that are refused in prompts. */
  readonly bannedWords: readonly string[]
}

/** The settings that the drawing channel brings. */
export const ownDrawingSettings = {
  options: drawingOptions,
  quirks: {
    drawingContentType: quirk(
      ['json', 'text'],
      'The media type of responses to drawing submissions. The real gateway does not set it, which results in `text`.',
      { upstream: 'text' },
    ),
    unknownButtons: quirk(
      ['accept', 'refuse'],
      'Whether a button works although the real gateway cannot read it, such as animate.',
      { upstream: 'refuse' },
    ),
    numericIds: quirk(
      ['accept', 'refuse'],
      'Whether `/mj/task/list-by-condition` accepts numbers as ids: `[123]` for `["123"]`.',
      { upstream: 'refuse' },
    ),
  },
  steps: {
    actions: may(
      list(text(1), 1, 100),
      'Buttons to press on a drawing, one after the other: upscale 2, vary 3, zoom 2, pan left, repaint, or the label of a button. Each button is pressed on the latest result with this button.',
      ['upscale 2', 'repaint'],
    ),
  },
}

/** The length of a queue, and the number of its workers. */
interface DrawingQueue {
  readonly workers: Workers
  readonly running: number
  readonly waiting: number
}

export function drawingSettings({ options: { drawing = {}, ...options }, use }: Core): DrawingSettings {
  const offered = (options.models ?? []).map(({ name }) => name).filter((name) => name.startsWith('mj_'))
  const notifyHook = normalizeHosts(drawing.notifyHook ?? false)
  return {
    ...use(jobSettings),
    models: offered.length === 0 ? undefined : offered,
    accountFilter: drawing.accountFilter ?? false,
    notifyHook: notifyHook === true ? { allow: [] } : notifyHook,
    bannedWords: (drawing.bannedWords ?? []).filter((word) => word !== ''),
  }
}

/** The queue of a simulator; undefined if it is not bounded. */
export function drawingQueue(core: Core): DrawingQueue | undefined {
  const queue = core.options.drawing?.queue
  return queue && { ...queue, workers: new Workers(core, { workers: queue.running, concerns: isDrawing }) }
}

/**
 * Whether a URL may be called when a task changes: it must name this machine directly, or an allowed host. Other names that
 * resolve to this machine are refused, because they may later resolve to another one.
 *
 * @assumed §6 callbacks are undocumented; wire §7.9 proposes loopback targets only.
 */
export function mayReport(address: string, notifyHook: DrawingSettings['notifyHook']): boolean {
  if (notifyHook === false || !URL.canParse(address)) return false
  const { protocol, hostname, username } = new URL(address)
  if (!/^https?:$/.test(protocol) || username !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    notifyHook.allow.some((name) => name.toLowerCase() === host)
  )
}

import * as z from 'zod/mini'
import { callsOut, may, quirk } from '../../scenario/schema/fields.ts'
import { list, text } from '../../scenario/schema/values.ts'
import { lifecycleSetting } from '../define/lifecycle-setting.ts'
import type { Core } from '../../gateway/core.ts'
import { jobSettings, type JobSettings } from '../jobs/request/settings.ts'
import { isAllowedTarget } from '../../gateway/callbacks/plan.ts'

/** What options, config and scenario files set of drawings. */
const drawingOptions = {
  drawing: may(
    z.lazy(() =>
      z.strictObject({
        notifyHook: callsOut(
          may(
            z.union([z.boolean(), z.array(text(1))]),
            'Whether each change of a task is posted to its `notifyHook`, on this machine and on the allowed hosts. The gateway removes `notifyHook` from requests. Default false.',
            true,
            ['hooks.internal'],
          ),
        ),
        lifecycle: may(lifecycleSetting, "Replaces the states' times, weights and progress.", {
          initial: 'NOT_START',
          states: { NOT_START: { after: '1s', to: 'SUBMITTED' } },
        }),
      }),
    ),
    'How the drawing channel behaves.',
    { notifyHook: true },
  ),
}

/** The settings of the drawing API, which shares limits with video. */
export interface DrawingSettings extends Pick<
  JobSettings,
  'timing' | 'promptDirectives' | 'promptLimitCharacters' | 'imageLimitBytes'
> {
  /** The billing names of the models, such as `mj_imagine`; all by default. */
  readonly models: readonly string[] | undefined
  /**
   * Whether `notifyHook` takes effect, and which hosts it may name besides this machine: names or IP addresses, without port.
   * False removes it.
   */
  readonly notifyHook: false | { readonly allow: readonly string[] }
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
  },
  steps: {
    actions: may(
      list(text(1), 1, 100),
      'Buttons to press on a drawing, one after the other: upscale 2, vary 3, zoom 2, pan left, repaint, or the label of a button. Each button is pressed on the latest result with this button.',
      ['upscale 2', 'repaint'],
    ),
  },
}

export function drawingSettings({ options: { drawing = {}, ...options }, use }: Core): DrawingSettings {
  const offered = (options.models ?? []).map(({ name }) => name).filter((name) => name.startsWith('mj_'))
  const { notifyHook = false } = drawing
  return {
    ...use(jobSettings),
    models: offered.length === 0 ? undefined : offered,
    notifyHook: notifyHook === false ? false : { allow: notifyHook === true ? [] : notifyHook },
  }
}

/** Whether a URL may be called when a drawing changes. */
export function mayReport(url: string, notifyHook: DrawingSettings['notifyHook']): boolean {
  return notifyHook !== false && isAllowedTarget(url, notifyHook.allow)
}

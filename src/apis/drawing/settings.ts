import * as z from 'zod/mini'
import { callsOut, may } from '../../scenario/schema/fields.ts'
import { list, text } from '../../scenario/schema/values.ts'
import { lifecycleSetting } from '../define/lifecycle-setting.ts'
import type { Core } from '../../gateway/core.ts'

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

/** The settings that the drawing channel brings. */
export const ownDrawingSettings = {
  options: drawingOptions,
  steps: {
    actions: may(
      list(text(1), 1, 100),
      'Buttons to press on a drawing, one after the other: upscale 2, vary 3, zoom 2, pan left, repaint, or the label of a button. Each button is pressed on the latest result with this button.',
      ['upscale 2', 'repaint'],
    ),
  },
}

/** The hosts that get notifications; undefined if `notifyHook` takes no effect. */
export function notifiedHosts({ options: { drawing } }: Core): readonly string[] | undefined {
  const { notifyHook: hosts = false } = drawing ?? {}
  return hosts === false ? undefined : hosts === true ? [] : hosts
}

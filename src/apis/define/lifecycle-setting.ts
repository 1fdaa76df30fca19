import * as z from 'zod/mini'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { such } from '../../scenario/schema/known-names.ts'
import { durationSpec, list, maxWeight, nonNegative } from '../../scenario/schema/values.ts'

const state = z.lazy(() =>
  z.strictObject({
    after: may(durationSpec, 'The duration of the state.', '12s'),
    on: may(z.string(), 'The operation that ends the state, if the task waits for the client.', such.confirm),
    timeout: may(durationSpec, 'The longest wait for that operation.', '5m'),
    expires: may(z.string(), 'The next state after the longest wait.', such.failure),
    expiryReason: may(z.string(), 'The reason for that failure.', 'the dialog was never confirmed'),
    to: may(
      z.union([z.string(), z.record(z.string(), nonNegative(maxWeight))]),
      'The next state, or several with weights.',
      such.work,
      { [such.success]: 9, [such.failure]: 1 },
    ),
    progress: may(
      z.union([
        z.number(),
        z.strictObject({
          from: must(z.number(), 'The percentage at the start of the state.', 30),
          to: must(z.number(), 'The percentage at its end.', 99),
        }),
        list(z.number(), 1),
      ]),
      'The progress in percent: a number, a linear rise, or steps.',
      { from: 30, to: 99 },
      [0, 15, 31],
    ),
    final: may(z.literal(true), 'Whether the state is an end of the task.', true),
  }),
)

/** The setting by which options replace the lifecycle of a kind of tasks. */
export const lifecycleSetting = z.lazy(() =>
  named(
    'lifecycle',
    z.strictObject({
      initial: must(z.string(), 'The first state.', such.queue),
      states: must(z.record(z.string(), state), 'The states by their names, in the documented order.', {
        [such.queue]: { after: '1s', to: such.work },
      }),
      unsafe: may(z.boolean(), 'Whether the states may break the documented order.', true),
    }),
    'The states of a kind of tasks, with their times, weights and progress.',
  ),
)

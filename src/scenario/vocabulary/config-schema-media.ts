import * as z from 'zod/mini'
import { may, must } from '../schema/fields.ts'
import { durationSpec, list, nonNegative, positive, sizeText, text, wholeNumber } from '../schema/values.ts'

const state = z.lazy(() =>
  z.strictObject({
    after: may(durationSpec, 'The duration of the state.', '12s'),
    on: may(z.string(), 'The operation that ends the state, if the task waits for the client.', 'mj.modal'),
    timeout: may(durationSpec, 'The longest wait for that operation.', '5m'),
    expires: may(z.string(), 'The next state after the longest wait.', 'FAILURE'),
    expiryReason: may(z.string(), 'The reason for that failure.', 'the dialog was never confirmed'),
    to: may(
      z.union([z.string(), z.record(z.string(), nonNegative())]),
      'The next state, or several with weights.',
      'IN_PROGRESS',
      { SUCCESS: 9, FAILURE: 1 },
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

export const lifecycle = z.lazy(() =>
  z.strictObject({
    initial: must(z.string(), 'The first state.', 'queued'),
    states: must(z.record(z.string(), state), 'The states by their names, in the documented order.', {
      queued: { after: '1s', to: 'IN_PROGRESS' },
    }),
    unsafe: may(z.boolean(), 'Whether the states may break the documented order.', true),
  }),
)

export const video = z.lazy(() =>
  z.strictObject({
    seconds: may(
      z.strictObject({
        default: may(positive(), 'The length if a request has none. Default 5.', 5),
        min: may(positive(), 'The minimum length. Default 1.', 1),
        max: may(
          positive(3600),
          'The maximum length, which is rendered in full. Default: 3600 is accepted, and 60 rendered.',
          60,
        ),
      }),
      'The accepted lengths, in whole seconds.',
      { default: 5, min: 1, max: 60 },
    ),
    size: may(
      z.strictObject({
        default: may(sizeText, 'The size if a request has none. Default 1280x720.', '1280x720'),
        min: may(
          wholeNumber(16),
          'The shortest side, in pixels. Default: 1 is accepted, and 64 rendered.',
          64,
        ),
        max: may(
          wholeNumber(1, 4096),
          'The longest side, in pixels. Default: 16384 is accepted, and 1920 rendered.',
          1920,
        ),
      }),
      'The accepted sizes.',
      { default: '1280x720' },
    ),
    listAndDelete: may(
      z.boolean(),
      'Whether `GET /v1/videos` and `DELETE /v1/videos/{id}` work; the gateway does not offer them. Default false.',
      true,
    ),
    lifecycle: may(lifecycle, "Replaces the states' times, weights and progress.", {
      initial: 'queued',
      states: { queued: { after: '1s', to: 'IN_PROGRESS' } },
    }),
  }),
)

export const drawing = z.lazy(() =>
  z.strictObject({
    accountFilter: may(
      z.boolean(),
      'Whether `accountFilter` has an effect; the gateway removes it from requests. Default false.',
      true,
    ),
    notifyHook: may(
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
    lifecycle: may(lifecycle, "Replaces the states' times, weights and progress.", {
      initial: 'NOT_START',
      states: { NOT_START: { after: '1s', to: 'SUBMITTED' } },
    }),
  }),
)

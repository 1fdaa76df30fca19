import * as z from 'zod/mini'
import { may, must } from '../schema/fields.ts'
import { durationSpec, list, nonNegative, positive, sizeText, text, wholeNumber } from '../schema/values.ts'

const state = z.lazy(() =>
  z.strictObject({
    after: may(durationSpec, 'The length of the state.', '12s'),
    on: may(z.string(), 'The operation that ends a state that waits for the client.', 'mj.modal'),
    timeout: may(durationSpec, 'The longest wait for the client.', '5m'),
    expires: may(z.string(), 'The next state if the client does not act in time.', 'FAILURE'),
    expiryReason: may(z.string(), 'The reason of that failure.', 'the dialog was never confirmed'),
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
          from: must(z.number(), 'Percent at the start.', 30),
          to: must(z.number(), 'Percent at the end.', 99),
        }),
        list(z.number(), 1),
      ]),
      'Percent done: a number, a linear rise, or steps.',
      { from: 30, to: 99 },
      [0, 15, 31],
    ),
    final: may(z.literal(true), 'Whether a task ends in it.', true),
  }),
)

export const lifecycle = z.lazy(() =>
  z.strictObject({
    initial: must(z.string(), 'The first state.', 'queued'),
    states: must(z.record(z.string(), state), 'The states by name, in the documented order.', {
      queued: { after: '1s', to: 'IN_PROGRESS' },
    }),
    unsafe: may(z.boolean(), 'Whether the documented order of states may be left.', true),
  }),
)

const framesPerSecond = positive(60)

export const video = z.lazy(() =>
  z.strictObject({
    seconds: may(
      z.strictObject({
        default: may(positive(), 'The length if a request has none. Default 5.', 5),
        min: may(positive(), 'The shortest. Default 1.', 1),
        max: may(positive(3600), 'The longest, which is also rendered. Default 3600, rendered up to 60.', 60),
      }),
      'The lengths that are accepted, in whole seconds.',
      { default: 5, min: 1, max: 60 },
    ),
    size: may(
      z.strictObject({
        default: may(sizeText, 'The size if a request has none. Default 1280x720.', '1280x720'),
        min: may(wholeNumber(16), 'The shortest side, in pixels. Default 1, rendered with 64.', 64),
        max: may(
          wholeNumber(1, 4096),
          'The longest side, in pixels. Default 16384, rendered with 1920.',
          1920,
        ),
      }),
      'The sizes that are accepted.',
      { default: '1280x720' },
    ),
    listAndDelete: may(
      z.boolean(),
      "Whether `GET /v1/videos` lists and `DELETE /v1/videos/{id}` deletes, which the gateway doesn't. Default false.",
      true,
    ),
    framesPerSecond: may(
      z.strictObject({
        full: may(framesPerSecond, 'In quality `full`. Default 24.', 24),
        fast: may(framesPerSecond, 'In quality `fast`. Default 12.', 12),
        card: may(framesPerSecond, 'In quality `card`. Default 24.', 25),
      }),
      'Frames per second, by quality.',
      { full: 24, fast: 12, card: 25 },
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
      'Whether `accountFilter` has an effect; the gateway strips it. Default false.',
      true,
    ),
    notifyHook: may(
      z.union([
        z.boolean(),
        z.array(text(1)),
        z.strictObject({
          allow: must(z.array(text(1)), 'Hosts that may be notified, apart from this machine.', [
            'hooks.internal',
          ]),
        }),
      ]),
      'Whether changes are posted to `notifyHook`, which the gateway strips: to this machine, and to the allowed hosts. Default false.',
      true,
      { allow: ['hooks.internal'] },
    ),
    proxyCalls: may(
      z.boolean(),
      'Whether the calls of the stand-alone proxies work: list, queue and cancel. Default false.',
      true,
    ),
    bannedWords: may(z.array(text(1)), 'Words that no prompt may contain.', ['gore']),
    queue: may(
      z.strictObject({
        running: must(positive(), 'The number of tasks of a namespace that render at a time.', 3),
        waiting: must(wholeNumber(0), 'The number of tasks that may wait.', 10),
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

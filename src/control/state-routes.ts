import type { ControlRoute } from './route.ts'

/** A state of a hundred thousand tasks. */
/** The largest snapshot that is taken back. */
export const mostSnapshotBytes = 256 * 1024 * 1024

/** The whole state as one document, and back. */
export const stateRoutes = (prefix: string): readonly ControlRoute[] => [
  {
    methods: ['GET'],
    path: `${prefix}/snapshot`,
    does: 'all that must be known to go on from here, as one document; of one namespace where one is named',
    call: (control, { named }) => control.snapshot(named),
  },
  {
    methods: ['PUT'],
    path: `${prefix}/snapshot`,
    does: 'put such a document in the place of what is there',
    mostBodyBytes: mostSnapshotBytes,
    call: (control, { named, body }) =>
      control.restore(body, named === undefined ? {} : { namespace: named }),
  },
]

import { JsonInPieces, type ControlRoute } from './route.ts'

/** The largest snapshot that is taken back: a state of more than a hundred thousand tasks. */
export const maxSnapshotBytes = 256 * 1024 * 1024
/** How many values it may have, for which everything else is too long. */
export const maxSnapshotValues = 20_000_000

/** The whole state as one document, and back. */
export const stateRoutes = (prefix: string): readonly ControlRoute[] => [
  {
    methods: ['GET'],
    path: `${prefix}/snapshot`,
    does: 'all that must be known to go on from here, as one document; of one namespace where one is named',
    call: async (control, { named }) => new JsonInPieces(await control.snapshotText(named)),
  },
  {
    methods: ['PUT'],
    path: `${prefix}/snapshot`,
    does: 'put such a document in the place of what is there',
    maxBodyBytes: maxSnapshotBytes,
    maxBodyValues: maxSnapshotValues,
    call: (control, { named, body }) =>
      control.restoreInTurns(body, named === undefined ? {} : { namespace: named }),
  },
]

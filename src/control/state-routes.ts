import { JsonInPieces, type ControlRoute } from './route.ts'

/** The largest snapshot that can be restored: more than a hundred thousand tasks. */
export const maxSnapshotBytes = 256 * 1024 * 1024
/** The maximum number of JSON values in a snapshot. */
export const maxSnapshotValues = 20_000_000

/** Saves and restores the complete state as one document. */
export const stateRoutes = (prefix: string): readonly ControlRoute[] => [
  {
    methods: ['GET'],
    path: `${prefix}/snapshot`,
    does: 'the complete state as one document, of all namespaces or the given one',
    call: async (control, { named }) => new JsonInPieces(await control.snapshotText(named)),
  },
  {
    methods: ['PUT'],
    path: `${prefix}/snapshot`,
    does: 'replace the state by such a document',
    maxBodyBytes: maxSnapshotBytes,
    maxBodyValues: maxSnapshotValues,
    call: (control, { named, body }) =>
      control.restoreInTurns(body, named === undefined ? {} : { namespace: named }),
  },
]

import { closedInBody } from '../../../engine/connection-end.ts'
import { at, defineFault } from '../fault.ts'
import { brokenBytes } from '../good-clients.ts'
import { breakBody } from './break-off.ts'

export const truncate = defineFault({
  name: 'truncate',
  description: 'The body ends before its announced length.',
  fields: { at },
  hits: 'any',
  visibleIn: 'body',
  goodClient: { ...brokenBytes, reaction: 'verify-and-repeat', rank: 1 },
  explored: { fields: { at: '40%' } },
  ends: [closedInBody],

  apply: (reply, fault) => breakBody(reply, closedInBody, fault),
})

import * as z from 'zod/mini'
import { resetInBody, resetUnanswered } from '../../../engine/connection-end.ts'
import { may } from '../../schema/fields.ts'
import { at, defineFault, lost } from '../fault.ts'
import { lostConnection } from '../good-clients.ts'
import { breakBody } from './break-off.ts'

export const reset = defineFault({
  name: 'reset',
  description: 'The connection is reset, before the headers or in the middle of the body.',
  fields: {
    phase: may(
      z.enum(['before-headers', 'mid-body']),
      'The place. Default `before-headers`, or `mid-body` if `at` is given.',
      'mid-body',
    ),
    at,
    lost,
  },
  hits: 'any',
  visibleIn: 'connection',
  goodClient: { ...lostConnection, rank: 1 },
  lostAnswer: {
    id: 'answer lost',
    description: 'The gateway accepts the request, and the connection breaks before the response.',
    reaction: 'report-and-stop',
    expected: 'either',
    family: 'answer lost',
    rank: 3,
    isAcceptanceUnknown: true,
  },
  ends: [resetUnanswered, resetInBody],

  /** A connection is reset either before the response or in the middle of it. */
  idleField(fault) {
    if (fault.phase === 'before-headers') return { field: 'at', why: 'phase is before-headers' }
    return isMidBody(fault)
      ? { field: 'lost', why: 'the answer begins before the connection is reset' }
      : undefined
  },
  isSilent: (fault) => !isMidBody(fault),
  apply: (reply, fault) =>
    isMidBody(fault)
      ? breakBody(reply, resetInBody, fault)
      : { ...reply, effect: { noResponse: resetUnanswered } },
})

function isMidBody({ phase, at }: { phase?: string | undefined; at?: unknown }): boolean {
  return phase === 'mid-body' || (phase === undefined && at !== undefined)
}

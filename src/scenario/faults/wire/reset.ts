import * as z from 'zod/mini'
import { may } from '../../schema/fields.ts'
import { at, defineFault, lost } from '../fault.ts'
import { breakOff } from './break-off.ts'

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
  needsSocket: true,
  visibleIn: 'connection',
  goodClient: { reaction: 'retry-with-backoff', expected: 'survive', family: 'network', rank: 1 },

  isSilent: (fault) => !isMidBody(fault),
  apply: (reply, fault) =>
    isMidBody(fault) ? breakOff(reply, 'reset', fault.at) : { ...reply, effect: { noResponse: 'reset' } },
})

function isMidBody({ phase, at }: { phase?: string | undefined; at?: unknown }): boolean {
  return phase === 'mid-body' || (phase === undefined && at !== undefined)
}

import * as z from 'zod/mini'
import type { Reply } from '../../engine/reply.ts'
import { must, named, refusing, type Plain } from '../schema/fields.ts'
import { faults } from './lists.ts'
import type { Draw, FaultContext, FaultDefinition, ViewedTask } from './fault.ts'

type FaultOf<Definition> =
  Definition extends FaultDefinition<infer Name, infer Fields>
    ? Readonly<Plain<z.output<z.ZodMiniObject<{ type: z.ZodMiniLiteral<Name> } & Fields>>>>
    : never

/**
 * A way to break a response, with the fields that it takes. `docs/reference/faults.md` explains each.
 *
 * @example
 * const fault: Fault = { type: 'truncate', at: '50%' }
 * const task = await client.submitVideo('a red kite [[render 1s]]')
 * await sim.clock.advanceUntil(task, 'SUCCESS')
 * sim.next('video.content', { fault })
 * const response = await client.get(`/v1/videos/${task}/content`)
 * await response.arrayBuffer() // throws TypeError: terminated
 */
export type Fault = FaultOf<(typeof faults)[number]>

/**
 * A fault by its name, with defaults for everything else.
 *
 * @example
 * const faults: FaultType[] = ['reset', 'close', 'invalid-json']
 * for (const fault of faults) sim.addRule({ match: { op: 'video.poll' }, chance: '5%', fault })
 */
export type FaultType = Fault['type']

export const faultTypes: readonly FaultType[] = faults.map(({ name }) => name)

export { faults }
export type { FaultDefinition }

const definitions = new Map<string, FaultDefinition>(faults.map((fault) => [fault.name, fault]))

export function findFault(type: FaultType): FaultDefinition
/** @returns undefined for a name that no fault has. */
export function findFault(type: string): FaultDefinition | undefined
export function findFault(type: string): FaultDefinition | undefined {
  return definitions.get(type)
}

/** Applies a fault to a response. A response that the fault can't break stays unchanged. */
export function applyFault<Media>(reply: Reply<Media>, fault: Fault, context: FaultContext): Reply<Media> {
  return findFault(fault.type).apply?.(reply, fault, context) ?? reply
}

/** Whether the request is lost before it has any effect. */
export function losesRequest(fault: Fault): boolean {
  return findFault(fault.type).isSilent?.(fault) === true && (fault as { lost?: string }).lost !== 'answer'
}

/** Whether only the sending of a stream shows if a fault changes anything. */
export function isProvenLate(fault: Fault): boolean {
  return findFault(fault.type).isProvenLate === true
}

/** Whether a fault changes the state that a client gets, and not the response. */
export function showsEarlierState(fault: Fault): boolean {
  return findFault(fault.type).viewedAt !== undefined
}

/** The instant whose task state a client gets: now, unless a fault sets an earlier one. */
export function viewedAt(fault: Fault | undefined, task: ViewedTask, draw: Draw): number {
  return (fault && findFault(fault.type).viewedAt?.(fault, task, draw)) ?? task.now
}

export const faultObject: z.ZodMiniType<Fault> = z.lazy(() => {
  const [first, ...others] = faults.map(({ name, description, fields }) =>
    z.strictObject({ type: must(z.literal(name), description, name), ...fields }),
  )
  return z.discriminatedUnion('type', [first!, ...others]) as unknown as z.ZodMiniType<Fault>
})

/** The name of a fault that needs no fields. */
export const faultName = z.enum(faultTypes).check(
  refusing((type) => {
    const { example } = findFault(type)
    return example === undefined ? undefined : `it needs more than its name: ${example}`
  }),
)

export const faultSchema = z.lazy(() =>
  named(
    'fault',
    z.union([faultName, faultObject], {
      error: ({ input }) =>
        typeof input === 'number'
          ? `a fault breaks a response. To send a status, write respond: { status: ${input} }`
          : undefined,
    }),
    'A way to break the response: the name of a fault, or a mapping with the name as `type`.',
    'reset',
    { type: 'truncate', at: '40%' },
  ),
)

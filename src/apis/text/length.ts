import type { TextRequest, TurnPart } from '../../text/spec.ts'
import { RequestRefused } from './refused.ts'

/**
 * Refuses a conversation that is too long: each of its words is counted, whatever is answered.
 *
 * @param most how many characters its texts may have together.
 * @throws {RequestRefused}
 * @assumed §8 how long a conversation may be is not shown; wire §2.4.
 */
export function checkLength({ system = '', turns }: TextRequest, most: number): void {
  let length = system.length
  for (const { parts } of turns) for (const part of parts) length += lengthOf(part)
  refuseAbove(length, most)
}

/** @throws {RequestRefused} for texts that are longer than can be taken at once. */
export function refuseAbove(length: number, most: number): void {
  if (length <= most) return
  throw new RequestRefused(`the texts have ${length} characters, at most ${most} are taken in one request`)
}

/** What tools are called with and answer counts as it is written. */
function lengthOf(part: TurnPart): number {
  if (part.type === 'text') return part.text.length
  if (part.type === 'call') return JSON.stringify(part.args).length
  return part.type === 'result' ? (JSON.stringify(part.value)?.length ?? 0) : 0
}

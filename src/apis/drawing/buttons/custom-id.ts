import { abortError, type GatewayError } from '../../../gateway/replies/errors.ts'
import type { Quirks } from '../../../gateway/quirks.ts'

/** What a button's name says without regard to whose button it is. */
export interface CustomId {
  /** The name as it stands among a result's buttons. */
  readonly plain: string
  /** Which picture of a grid it means, where it means one. */
  readonly index: number | undefined
}

/** What the gateway itself can read (wire §7.7). */
const gatewayActions = /upsample|variation|pan|reroll|Outpaint|CustomZoom|Inpaint/
/** What wire §7.7 lists besides. */
const otherActions = /animate|PicReader|Picread|PromptAnalyzer|BOOKMARK|video_virtual_upscale/

/**
 * Reads a `customId` as far as routing goes.
 *
 * @assumed §4.6 payloads of actions are not shown; wire §7.7 for the grammar and §7.4 for the refusals.
 * @throws {GatewayError} when it is missing, or names an action nobody knows.
 */
export function readCustomId(value: unknown, { unknownButtons }: Pick<Quirks, 'unknownButtons'>): CustomId {
  if (typeof value !== 'string' || value === '') throw invalid('custom_id_is_required')
  const [, second = '', third = '', fourth = ''] = value.split('::')
  const action = second === 'JOB' ? third : second === 'Job' ? third || second : second
  const known = gatewayActions.test(action) || (unknownButtons === 'accept' && otherActions.test(action))
  if (!known) throw invalid(`unknown_action:${value.slice(0, 200)}`)
  const index = /^(?:upsample|variation|video_virtual_upscale|PicReader|PromptAnalyzer)$/.test(action)
    ? Number(fourth)
    : undefined
  return { plain: plainOf(value), index: Number.isInteger(index) ? index : undefined }
}

/** Older clients leave out what newer ones append. */
export function plainOf(customId: string): string {
  return customId.replace(/::SOLO$/, '').replace(/^MJ::CustomZoom::1::/, 'MJ::CustomZoom::')
}

function invalid(text: string): GatewayError {
  return abortError(400, `Invalid request: ${text}`)
}

import type { ApiDefinition } from '../jobs/kit/definition.ts'
import { answer } from '../jobs/kit/operations.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'

/**
 * E-MJ: a refusal by the gateway itself. Its description ends with a space, after which advice may follow.
 * @assumed §7 error bodies are undocumented; wire §2.1 and §7.4.
 */
export function drawingError(code: number, description: string, status = 400): GatewayError {
  return new GatewayError(status, description, (_, __, advice) => ({
    code,
    description: `${description} ${advice}`,
    type: 'upstream_error',
  }))
}

/** E-MJRES: a refusal by the back end, which the gateway passes on. */
export class DrawingRefusal extends GatewayError {
  override name = 'DrawingRefusal'

  /** @assumed §2.4 codes other than 1 are undocumented; wire §2.1 and §7.4: they also have HTTP 200. */
  constructor(code: number, description: string, properties: Readonly<Record<string, unknown>> = {}) {
    super(200, description, (_, text) => ({ code, description: text, result: null, properties }))
  }
}

/** The descriptions of the back end (wire §7.4). */
export const refusalTexts = {
  prompt: 'prompt不能为空',
  action: 'action参数错误',
  parentState: '关联任务状态错误',
  parentKind: '关联任务不允许执行变化',
  parentGone: '关联任务不存在或已失效',
  noImage: 'base64不能为空',
  brokenImage: 'base64格式错误',
  imageCount: 'base64List参数错误',
  dimensions: 'dimensions参数错误',
  parameter: '参数错误',
} as const

/** A code 4 of the back end, with an explanation in a header. */
export function invalidDrawing(text: keyof typeof refusalTexts, hint?: string): GatewayError {
  const refusal = new DrawingRefusal(4, refusalTexts[text])
  return hint === undefined ? refusal : refusal.withHint(hint)
}

/** @assumed §7 the answer to an unknown image is undocumented; wire §7.5. */
export function unknownImage(): GatewayError {
  return new GatewayError(400, 'midjourney_task_not_found', () => ({ error: 'midjourney_task_not_found' }))
}

/**
 * The envelope of a refusal. Those of this channel have theirs already.
 * @assumed §7 error bodies are undocumented; wire §2.1 and §2.4. §8 the answer to an empty balance is undocumented; wire §2.4.
 */
export const envelope: NonNullable<ApiDefinition['error']> = (refusal, { operation, isGateways, usual }) => {
  // The back end's refusals have the media type of its answers.
  if (isGateways) return usual.status === 200 ? answer(200, usual.body) : usual
  const { status, message, code } = refusal
  if (operation === 'image') return { error: message }
  const text = code === '' ? message : 'quota_not_enough'
  return answer(code === '' ? status : 400, { code: 4, description: `${text} `, type: 'upstream_error' })
}

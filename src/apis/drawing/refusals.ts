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

import { GatewayError } from '../../gateway/replies/errors.ts'

/**
 * E-MJ: a refusal by the gateway itself. The description is joined with an empty result, so it ends in a space; advice
 * takes the place of the result.
 * @assumed §7 error bodies are not shown; wire §2.1 and §7.4.
 */
export function drawingError(code: number, description: string, status = 400): GatewayError {
  return new GatewayError(status, description, (_, __, advice) => ({
    code,
    description: `${description} ${advice}`,
    type: 'upstream_error',
  }))
}

/** E-MJRES: a refusal by what stands behind the gateway, passed on as it came. */
export class DrawingRefusal extends GatewayError {
  override name = 'DrawingRefusal'

  /** @assumed §2.4 codes other than 1 are not shown; wire §2.1 and §7.4: HTTP 200 all the same. */
  constructor(
    code: number,
    description: string,
    properties: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(200, description, (_, text) => ({ code, description: text, result: null, properties }), headers)
  }
}

/** The words of the drawing back end for what it can't take (wire §7.4). */
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

/** A code 4 of the back end, in its words, with an explanation of ours in a header. */
export function invalidDrawing(text: keyof typeof refusalTexts, hint?: string): GatewayError {
  const refusal = new DrawingRefusal(4, refusalTexts[text])
  return hint === undefined ? refusal : refusal.withHint(hint)
}

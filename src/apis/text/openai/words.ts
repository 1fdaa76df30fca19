import { upstreamError, type GatewayError } from '../../../gateway/replies/errors.ts'
import type { TextCall, TextCandidate, TokenLogprob } from '../../../text/spec.ts'
import { argumentsText } from '../../../text/tool-calls.ts'
import type { UpstreamWords } from '../fields.ts'

/** The variables by which OpenAI's SDKs find the gateway. */
export const openaiVariables = { OPENAI_BASE_URL: '${url}/v1', OPENAI_API_KEY: '${key}' }

/** The call of a tool. In a stream, its arguments follow later. */
export function toolCall(call: TextCall, args = argumentsText(call)) {
  const { id, name } = call
  return { id: `call_${id}`, type: 'function', function: { name, arguments: args } }
}

const encoder = new TextEncoder()

export function logprobsOf(tokens: readonly TokenLogprob[]): {
  readonly content: readonly unknown[]
  readonly refusal: null
} {
  const withBytes = ({ token, logprob }: { token: string; logprob: number }): object => ({
    token,
    logprob,
    bytes: [...encoder.encode(token)],
  })
  const content = tokens.map((each) => ({ ...withBytes(each), top_logprobs: each.top.map(withBytes) }))
  return { content, refusal: null }
}

/**
 * The protocol's names for errors of the service behind the gateway.
 * @assumed §7 error codes are undocumented; wire §9.4.
 */
export function upstreamWords(status: number): UpstreamWords {
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  return status < 500
    ? { type: 'invalid_request_error', code: 'invalid_value' }
    : { type: 'server_error', code: status }
}

/** Distributes the log probabilities of a candidate over the pieces of its text. */
export function dealTokens({ logprobs = [] }: Pick<TextCandidate, 'logprobs'> = {}): (
  text: string,
) => TokenLogprob[] {
  let at = 0
  return (text) => {
    const dealt: TokenLogprob[] = []
    for (let left = text.length; left > 0 && at < logprobs.length; at++) {
      dealt.push(logprobs[at]!)
      left -= logprobs[at]!.token.length
    }
    return dealt
  }
}

/** @assumed §7 the answer to a refused prompt is undocumented; wire §9.1. */
export function promptBlocked(reason: string): GatewayError {
  const words = { type: 'prompt_blocked', code: 'prompt_blocked' }
  return upstreamError(400, `request blocked by the model's safety system: ${reason.toUpperCase()}`, words)
}

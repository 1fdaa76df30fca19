import { DurationError } from '../../engine/clock/duration.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import { readTaskDirectives } from '../../scenario/directives.ts'
import { readFlags, type ReadPrompt } from './flags.ts'
import { DrawingRefusal, drawingError, invalidDrawing, refusalTexts } from './refusals.ts'
import type { JobSettings } from '../jobs/request/settings.ts'

/** The parts of a prompt, and the effect of its directives. */
export interface DrawingPrompt extends ReadPrompt {
  /** The prompt as sent, without directives. */
  readonly prompt: string
  readonly shape: TaskShape
}

/** Reads an optional prompt. */
export function readOptionalPrompt(
  text: string | undefined,
  settings: JobSettings,
): DrawingPrompt | undefined {
  return text === undefined || text.trim() === '' ? undefined : readPrompt(text, settings)
}

/** A prompt of the simulator itself, such as a description of an image. */
export function plainPrompt(prompt: string): DrawingPrompt {
  return { prompt, shape: {}, ...readFlags(prompt) }
}

/**
 * Reads a prompt (§4.4).
 * @throws {GatewayError} if it is too long, or asks for a refusal.
 */
export function readPrompt(text: string, settings: JobSettings): DrawingPrompt {
  const limit = settings.promptLimitCharacters
  if (text.length > limit) {
    throw invalidDrawing('parameter', `The prompt has ${text.length} characters, at most ${limit} are taken.`)
  }
  const { prompt, shape } = readDirectives(text, settings)
  return { prompt, shape, ...readFlags(prompt) }
}

function readDirectives(
  text: string,
  { promptDirectives }: JobSettings,
): { prompt: string; shape: TaskShape } {
  if (!promptDirectives) return { prompt: text, shape: {} }
  const [directive, code] = /\[\[ {0,9}code:? {1,9}(\d{1,3}) {0,9}\]\]/i.exec(text) ?? []
  if (directive !== undefined) throw refusalByCode(Number(code), text.replace(directive, '').trim())
  try {
    return readTaskDirectives(text)
  } catch (error) {
    if (error instanceof DurationError) throw invalidDrawing('parameter', error.message)
    throw error
  }
}

/** The directive of a refusal. */
export const codeDirective = 'code'

/** What to write if the value of the directive is invalid. */
export function codeUsage(word: string, rest: string): string | undefined {
  if (word !== codeDirective || /^:? {1,9}\d{1,3} {0,9}$/.test(rest)) return undefined
  return '[[code 23]], with 3, 4, 5, 9, 23, 24 or 30'
}

/** The descriptions of codes (wire §7.4). */
const descriptions = {
  3: '无可用的账号实例',
  4: refusalTexts.parameter,
  9: '提交失败，队列已满，请稍后重试',
  23: '队列已满，请稍后尝试',
  24: '可能包含敏感词',
} as const

/** The refusal for a directive such as `[[code 23]]`. */
function refusalByCode(code: number, prompt: string): GatewayError {
  if (code === 5) return drawingError(5, 'do_request_failed')
  if (code === 30) return drawingError(30, '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。', 429)
  if (code === 24)
    return new DrawingRefusal(24, descriptions[24], {
      promptEn: prompt,
      bannedWord: prompt.split(/\s+/)[0] ?? '',
    })
  if (code in descriptions) return new DrawingRefusal(code, descriptions[code as keyof typeof descriptions])
  return invalidDrawing(
    'parameter',
    `The directive [[code ${code}]] asks for a code that is none: use 3, 4, 5, 9, 23, 24 or 30.`,
  )
}

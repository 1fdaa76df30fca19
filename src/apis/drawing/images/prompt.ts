import { DurationError } from '../../../engine/clock/duration.ts'
import type { TaskShape } from '../../../engine/tasks/plan-task.ts'
import { abortError, type GatewayError } from '../../../gateway/replies/errors.ts'
import type { JsonValue } from '../../../gateway/bodies/json.ts'
import { readMagic } from '../../../scenario/magic.ts'
import { readFlags, type ReadPrompt } from '../flags.ts'
import { DrawingRefusal, drawingError, invalidDrawing, refusalTexts } from '../refusals.ts'
import type { DrawingSettings } from '../settings.ts'

/** A prompt that was read: its words, its flags, and what its directives ask for. */
export interface DrawingPrompt extends ReadPrompt {
  /** As it was sent, without directives. */
  readonly prompt: string
  readonly shape: TaskShape
}

/**
 * Reads a prompt that must be there (§4.4).
 *
 * @assumed §7 the answer to a missing prompt is not shown; wire §7.4.
 * @throws {GatewayError} when it is blank, too long, or has a banned word.
 */
export function readPrompt(value: JsonValue | undefined, settings: DrawingSettings): DrawingPrompt {
  const text = textOf(value, 'prompt')
  if (text.trim() === '') throw drawingError(4, 'prompt_is_required')
  return readText(text, settings)
}

/** Reads a prompt that may be missing. */
export function readOptionalPrompt(
  value: JsonValue | undefined,
  settings: DrawingSettings,
): DrawingPrompt | undefined {
  const text = textOf(value, 'prompt')
  return text.trim() === '' ? undefined : readText(text, settings)
}

/** A field that is a text, or missing. */
export function textOf(value: JsonValue | undefined, name: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw abortError(400, `Invalid request: Invalid Midjourney request: field ${name} must be a string`)
}

/** A field that names a task: clients send the number that it looks like, too. */
export function idOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** A number, or a text of digits; NaN for anything else. */
export function wholeNumber(value: JsonValue): number {
  if (typeof value === 'string') return /^\d{1,6}$/.test(value) ? Number(value) : NaN
  return typeof value === 'number' ? value : NaN
}

/** A prompt of our own, such as one that was found in a picture. */
export function plainPrompt(prompt: string): DrawingPrompt {
  return { prompt, shape: {}, ...readFlags(prompt) }
}

function readText(text: string, settings: DrawingSettings): DrawingPrompt {
  const limit = settings.promptLimitCharacters
  if (text.length > limit) {
    throw invalidDrawing('parameter', `The prompt has ${text.length} characters, at most ${limit} are taken.`)
  }
  const { prompt, shape } = readDirectives(text, settings)
  const banned = settings.bannedWords.find((word) => hasWord(prompt, word))
  if (banned !== undefined)
    throw new DrawingRefusal(24, refusalOf[24], { promptEn: prompt, bannedWord: banned })
  return { prompt, shape, ...readFlags(prompt) }
}

function readDirectives(
  text: string,
  { promptDirectives }: DrawingSettings,
): { prompt: string; shape: TaskShape } {
  if (!promptDirectives) return { prompt: text, shape: {} }
  const [directive, code] = /\[\[ {0,9}code:? {1,9}(\d{1,3}) {0,9}\]\]/i.exec(text) ?? []
  if (directive !== undefined) throw refusalByCode(Number(code), text.replace(directive, '').trim())
  try {
    return readMagic(text)
  } catch (error) {
    if (error instanceof DurationError) throw invalidDrawing('parameter', error.message)
    throw error
  }
}

/** What the back end says with a code (wire §7.4). */
const refusalOf = {
  3: '无可用的账号实例',
  4: refusalTexts.parameter,
  9: '提交失败，队列已满，请稍后重试',
  23: '队列已满，请稍后尝试',
  24: '可能包含敏感词',
} as const

/** The refusal that a prompt asks for by `[[code 23]]`. */
function refusalByCode(code: number, prompt: string): GatewayError {
  if (code === 5) return drawingError(5, 'do_request_failed')
  if (code === 30) return drawingError(30, '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。', 429)
  if (code === 24)
    return new DrawingRefusal(24, refusalOf[24], {
      promptEn: prompt,
      bannedWord: prompt.split(/\s+/)[0] ?? '',
    })
  if (code in refusalOf) return new DrawingRefusal(code, refusalOf[code as keyof typeof refusalOf])
  return invalidDrawing(
    'parameter',
    `The directive [[code ${code}]] asks for a code that is none: use 3, 4, 5, 9, 23, 24 or 30.`,
  )
}

/** Whether a text has a word by itself. Chinese has no spaces between words; other writing does. */
function hasWord(text: string, word: string): boolean {
  const [among, wanted] = [text.toLowerCase(), word.toLowerCase()]
  const isLetter = (sign: string | undefined): boolean => sign !== undefined && /[a-z0-9]/.test(sign)
  for (let at = among.indexOf(wanted); at >= 0; at = among.indexOf(wanted, at + 1)) {
    const goesOn = isLetter(wanted[0]) && isLetter(among[at - 1])
    const goesOnBehind = isLetter(wanted.at(-1)) && isLetter(among[at + wanted.length])
    if (!goesOn && !goesOnBehind) return true
  }
  return false
}

import { DurationError, parseDuration } from '../engine/clock/duration.ts'
import type { TaskShape } from '../engine/tasks/plan-task.ts'

/**
 * Directives in a prompt trigger any outcome without a config: `[[fail: reason]]`, `[[stuck]]`, `[[queued 10s]]`, `[[render
 * 2m]]`. They work in any language.
 */
export interface DirectedPrompt {
  /** The prompt without its directives. The picture is drawn from it. */
  prompt: string
  shape: TaskShape
}

const bracketed = /\[\[([^[\]]+)\]\]/g
/** The directives of tasks. */
export const taskDirectives = ['fail', 'stuck', 'queued', 'render'] as const
const directive = new RegExp(`^(${taskDirectives.join('|')})\\b\\s*:?(.*)$`, 'is')

/** A list of directives for banners and help. */
export const directivesHelp = '[[fail: reason]]  [[stuck]]  [[queued 10s]]  [[render 2m]]'

/**
 * Reads the directives of a prompt. Other double brackets stay, since they may be part of the text.
 * @throws {DurationError} for `queued` or `render` without a valid duration.
 */
export function readTaskDirectives(prompt: string): DirectedPrompt {
  if (!prompt.includes('[[')) return { prompt, shape: {} }
  const shape: TaskShape = {}
  const rest = prompt.replace(bracketed, (whole, inside: string) => {
    const [, word, argument = ''] = directive.exec(inside.trim()) ?? []
    if (word === undefined) return whole
    applyDirective(shape, word.toLowerCase(), argument.trim())
    return ' '
  })
  return { prompt: rest.replace(/\s+/g, ' ').trim(), shape }
}

function applyDirective(shape: TaskShape, word: string, argument: string): void {
  if (word === 'stuck') shape.render = 'forever'
  if (word === 'queued') shape.queued = readSpan(word, argument)
  if (word === 'render') shape.render = readSpan(word, argument)
  if (word !== 'fail') return
  shape.outcome = 'failure'
  if (argument !== '') shape.reason = argument
}

function readSpan(word: string, argument: string): number | 'forever' {
  if (argument.toLowerCase() === 'forever') return 'forever'
  try {
    return parseDuration(argument)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new DurationError(
      `the directive [[${word} ${argument.slice(0, 40)}]] can't be read: ${error.message}`,
    )
  }
}

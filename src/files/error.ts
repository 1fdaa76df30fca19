import { recognizeCopies } from '../engine/shared-error.ts'

/**
 * A place in a file: line and column count from 1.
 *
 * @example
 * const { at } = await loadScenario('scenarios/lost-polls.yaml')
 * const { file, line }: Position = at(['expect', 'requests', 0])
 * file // → '…lost-polls.yaml'
 * line // → 21
 */
export interface Position {
  readonly file: string
  /** Missing if a program computes the value. Then only the file is known. */
  readonly line?: number
  readonly column?: number
}

/**
 * A scenario that can't be used. The message has a line for every mistake: its position, what is wrong, and what to do.
 *
 * @example
 * await loadScenario('no-such-file.yaml') // throws ScenarioError: …no-such-file.yaml…
 */
export class ScenarioError extends Error {
  static {
    recognizeCopies(this, 'ScenarioError')
  }

  override name = 'ScenarioError'
}

/** Formats a position as `file:line:column`, as far as it is known. */
export function placeText({ file, line, column }: Position): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

import { Failed } from '../errors.ts'

/** A text, and the reason with which its response says that it ended. */
export interface FinishedText {
  readonly text: string
  readonly reason: string
}

/**
 * Checks that a text is complete. Retrying an incomplete one gives the same text again, so it is reported instead.
 *
 * @param completeReasons the reasons of a complete text, as the API spells them.
 * @throws {Failed} for an incomplete text, such as one that reached its token limit.
 */
export function checkFinish({ reason }: FinishedText, completeReasons: readonly string[]): void {
  if (!completeReasons.includes(reason)) throw new Failed(`the text is incomplete, finish reason ${reason}`)
}

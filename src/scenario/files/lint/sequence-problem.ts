import { didYouMean } from '../../../engine/did-you-mean.ts'
import { operations, wordsFor } from '../../../engine/operations/operations.ts'
import { readPattern } from '../../schema/sequence-pattern.ts'

const known = [...new Set(operations.flatMap(wordsFor))]

/** Why a sequence can't be followed: it can't be read, or has a word that no request ever is. */
export function sequenceProblem(source: string): string | undefined {
  try {
    const unknown = readPattern(source).words.find((word) => !known.includes(word))
    if (unknown === undefined) return undefined
    const hint = didYouMean(unknown, known)
    return `"${unknown}" is no word for a request.${hint} Use the last part of an operation, or submit, poll, download, any`
  } catch (error) {
    return (error as Error).message
  }
}

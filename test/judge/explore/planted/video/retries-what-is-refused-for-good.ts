import { careful, type Verb } from '../video.ts'

/** Retries every status, 400 and 401 too. */
export const habits = {
  ...careful,
  canRetry: (error: unknown, verb: Verb) => 'status' in (error as object) || verb !== 'submit',
}

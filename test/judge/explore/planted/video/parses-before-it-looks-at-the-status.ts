import { careful, Refused, type Verb } from '../video.ts'

/** Reads the message of an error as JSON: the HTML page of a proxy ends the client with a SyntaxError. */
export const habits = {
  ...careful,
  check: async (verb: Verb, response: Response) => {
    if (response.ok) return response
    const { error } = (await response.json()) as { error?: { message: string } }
    throw Object.assign(new Refused(verb, response), { message: error?.message })
  },
  canRetry: (error: unknown, verb: Verb) =>
    error instanceof SyntaxError ? false : careful.canRetry(error, verb),
}

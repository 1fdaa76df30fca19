import { careful, Refused, type Verb } from '../video.ts'

/** "The task may not be there yet": a 404 of a task never ends the polling. */
export const habits = {
  ...careful,
  check: async (verb: Verb, response: Response) => {
    if (verb === 'poll' && response.status === 404) return Response.json({ data: { status: 'QUEUED' } })
    if (!response.ok) throw new Refused(verb, response)
    return response
  },
}

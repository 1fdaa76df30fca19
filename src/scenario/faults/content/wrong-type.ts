import { may } from '../../schema/fields.ts'
import { text } from '../../schema/values.ts'
import { defineFault } from '../fault.ts'
import { brokenBytes } from '../good-clients.ts'

export const wrongType = defineFault({
  name: 'wrong-type',
  description: 'The media type is wrong.',
  fields: { mediaType: may(text(1), 'The wrong media type. Default text/html.', 'text/plain') },
  hits: 'any',
  visibleIn: 'headers',
  goodClient: { ...brokenBytes, reaction: 'verify-and-repeat', rank: 3 },
  explored: { at: ['submit', 'poll', 'read', 'change'] },

  apply(reply, { mediaType = 'text/html; charset=utf-8' }) {
    const { body } = reply
    if (typeof body === 'object' && body !== null && 'media' in body)
      return { ...reply, body: { ...body, conditions: { ...body.conditions, mediaType } } }
    const others = Object.entries(reply.headers).filter(([name]) => name.toLowerCase() !== 'content-type')
    return { ...reply, headers: { ...Object.fromEntries(others), 'Content-Type': mediaType } }
  },
})

import { expect, it } from 'vitest'
import { WorkRefused } from '../../src/engine/work-budget.ts'
import { asGatewayError } from '../../src/gateway/replies/errors.ts'

/** What a client gets for something that was thrown, and what is reported. */
function thrown(error: unknown): { status: number; body: unknown; internalError: string | undefined } {
  const refusal = asGatewayError(error)
  const { status, body } = refusal.reply('id')
  return { status, body: JSON.parse(body as string), internalError: refusal.internalError }
}

it('refuses a request that is too much work as invalid, which is no bug', () => {
  expect(thrown(new WorkRefused(100, 'matching'))).toEqual({
    status: 400,
    body: {
      error: expect.objectContaining({
        message: expect.stringContaining('Invalid request: The request is too much work') as unknown,
      }) as unknown,
    },
    internalError: undefined,
  })
})

it.each([
  [new TypeError('x is no function'), 'TypeError: x is no function'],
  ['a text', 'a text'],
])('reports the bug %s, and tells the client nothing of it', (error, bug) => {
  const message = 'Panic detected, error: the simulator failed on this request'
  expect(thrown(error)).toEqual({
    status: 500,
    body: { error: { message, type: 'new_api_panic' } },
    internalError: bug,
  })
})

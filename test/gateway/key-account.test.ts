import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { accountOfKey } from '../../src/gateway/accounts/keys.ts'
import { answer, defineApi, poll, submit, z } from '../../src/apis/own/index.ts'

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: object, signature = 'c2ln'): string =>
  `${encode({ alg: 'HS256' })}.${encode(claims)}.${signature}`

it.each([
  [token({ iss: 'me', exp: 1 }), token({ iss: 'me', exp: 2 }, 'b3Ro'), true],
  [token({ iss: 'me', sub: 'a' }), token({ iss: 'me', sub: 'b' }), false],
  [token({ iss: 'me' }), token({ iss: 'you' }), false],
  [token({ exp: 1 }), token({ exp: 2 }), false],
  [
    'AWS4-HMAC-SHA256 Credential=AKID/20261128/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=aa',
    'AWS4-HMAC-SHA256 Credential=AKID/20261129/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=bb',
    true,
  ],
  ['sk-one', 'sk-two', false],
  ['eyJhbGciOiJIUzI1NiJ9.bm90IGpzb24.c2ln', 'eyJhbGciOiJIUzI1NiJ9.bm90IGpzb24.b3Ro', false],
])('compares the accounts of %s and %s', (one, other, isSame) => {
  expect(accountOfKey(one) === accountOfKey(other)).toBe(isSame)
})

const acme = defineApi({
  name: 'acme',
  keys: { like: /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/ },
  states: { queue: 'WAIT', work: 'RUN', success: 'OK', failure: 'BAD' },
  error: ({ message }) => ({ message }),
  operations: {
    make: submit({
      route: 'POST /acme/jobs',
      body: z.looseObject({}),
      job: () => ({ model: 'acme-1', prompt: 'a kite' }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => answer(200, { status }) }),
  },
})

it.each([
  ['me', 'pass'],
  ['you', 'fail'],
])('judges a token for each request by its issuer: %s', async (iss, verdict) => {
  await using sim = createSimulator({ apis: [acme] })
  const headers = (claims: object): Record<string, string> => ({
    authorization: `Bearer ${token(claims)}`,
    'content-type': 'application/json',
  })
  const init = { method: 'POST', headers: headers({ iss: 'me', exp: 1 }), body: '{}' }
  const { id } = (await (await sim.fetch('http://x/acme/jobs', init)).json()) as { id: string }
  await sim.fetch(`http://x/acme/jobs/${id}`, { headers: headers({ iss, exp: 2 }) })
  const { invariants } = await sim.verdict()
  expect(invariants.find(({ name }) => name === 'one-key')).toMatchObject({ verdict })
})

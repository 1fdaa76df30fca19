import { expect, it } from 'vitest'
import { call, defineApi, refusal, z } from '../../../src/apis/own/index.ts'
import { createSimulator } from '../../../src/index.ts'
import { call as send } from './acme.ts'

const translate = call({
  route: 'POST /talk/translations',
  body: z.object({ text: z.string().min(1), to: z.enum(['de', 'fr']) }),
  reply: ({ body: { text, to } }) => (to === 'fr' ? refusal('There is no French yet') : { text, to }),
})
const credits = call({ route: 'GET /talk/credits', reply: () => ({ left: 3 }) })

/** An API whose operations have no jobs. */
const talk = defineApi({
  name: 'talk',
  error: ({ message }) => ({ oops: message }),
  operations: { translate, credits },
})

it('serves an API without jobs, which has no states, no download and no kind of task', async () => {
  await using sim = createSimulator({ apis: [talk], cacheDir: false })
  expect(await send(sim, 'GET', '/talk/credits')).toMatchObject({ status: 200, text: '{"left":3}' })
  const body = { text: 'a boat', to: 'de' }
  expect((await send(sim, 'POST', '/talk/translations', { body })).text).toBe('{"text":"a boat","to":"de"}')
  expect(sim.journal().map(({ operation }) => operation)).toEqual(['talk.credits', 'talk.translate'])
  expect(sim.core.operations.names.filter((name) => name.startsWith('talk.'))).toEqual([
    'talk.translate',
    'talk.credits',
  ])
  expect(sim.tasks()).toEqual([])
})

it('refuses a request whose reply is a refusal, in the envelope of the API', async () => {
  await using sim = createSimulator({ apis: [talk], cacheDir: false })
  const body = { text: 'a boat', to: 'fr' }
  expect(await send(sim, 'POST', '/talk/translations', { body })).toMatchObject({
    status: 422,
    text: '{"oops":"There is no French yet"}',
  })
  const { text } = await send(sim, 'GET', '/talk/nothing')
  expect(text).toContain('oops')
})

it('suggests an operation of it to a rule that misspells one', async () => {
  await using sim = createSimulator({ apis: [talk], cacheDir: false })
  expect(() => sim.next('talk.credit' as never, { respond: { status: 503 } })).toThrow('talk.credits')
})

it('lets a reply read what the key has spent, what it may still spend, and when it expires', async () => {
  const wallet = call({ route: 'GET /talk/wallet', reply: ({ account }) => account })
  const own = defineApi({ ...talk, name: 'wallets', operations: { wallet } })
  const key = { key: 'sk-intern', balance: 2, expires: '2031-01-01' }
  await using sim = createSimulator({ apis: [own], cacheDir: false, keys: [key] })
  const headers = { authorization: 'Bearer sk-intern' }
  const body = { model: 'video-1', prompt: 'a red kite', seconds: '4' }
  await send(sim, 'POST', '/v1/videos', { body, headers })
  const { reserved } = sim.usage()[0]!
  expect(reserved).toBeGreaterThan(0)
  expect(JSON.parse((await send(sim, 'GET', '/talk/wallet', { headers })).text)).toEqual({
    balance: 2 - reserved,
    spent: 0,
    reserved,
    expires: Date.UTC(2031, 0, 1),
    discount: 1,
  })
})

it('lists the configured models with their prices, and says which of them a key may use', async () => {
  const list = call({
    route: 'GET /talk/models',
    reply: ({ models }) =>
      models.map(({ name, kinds, isAllowed, price }) => [name, kinds, isAllowed, price?.output]),
  })
  const own = defineApi({ ...talk, name: 'lister', operations: { list } })
  await using sim = createSimulator({
    apis: [own],
    cacheDir: false,
    models: [{ name: 'talk-1', kind: 'text' }, { name: 'talk-2' }],
    prices: [{ models: 'talk-1', input: 1, output: 3 }],
    keys: [{ key: 'sk-one', models: ['talk-1'] }],
  })
  const { text } = await send(sim, 'GET', '/talk/models', { headers: { authorization: 'Bearer sk-one' } })
  expect(JSON.parse(text)).toEqual([
    ['talk-1', ['text'], true, 3],
    ['talk-2', ['text', 'video', 'embedding', 'drawing'], false, 2],
  ])
})

it('puts refusals into an envelope that the request chooses', async () => {
  const own = defineApi({
    ...talk,
    name: 'versions',
    error: ({ message }, { call: { path, requestId, header } }) =>
      header('x-version') === '2' ? { path, message, isNamed: requestId !== '' } : { oops: message },
  })
  await using sim = createSimulator({ apis: [own], cacheDir: false })
  const refused = await send(sim, 'POST', '/talk/translations', {
    body: { text: 'a boat', to: 'fr' },
    headers: { authorization: 'Bearer sk-a', 'x-version': '2' },
  })
  expect(JSON.parse(refused.text)).toEqual({
    path: '/talk/translations',
    message: 'There is no French yet',
    isNamed: true,
  })
})

it('refuses a model that the key may not use, if the call says which model it is about', async () => {
  const get = call({
    route: 'GET /talk/models/{model}',
    reads: ({ params }) => ({ model: params['model'] }),
    reply: ({ params }) => params,
  })
  const own = defineApi({ ...talk, name: 'getter', operations: { get } })
  await using sim = createSimulator({
    apis: [own],
    cacheDir: false,
    keys: [{ key: 'sk-one', models: ['talk-1'] }],
  })
  const headers = { authorization: 'Bearer sk-one' }
  const statuses = ['talk-1', 'talk-2'].map(async (name) => {
    const { status } = await send(sim, 'GET', `/talk/models/${name}`, { headers })
    return status
  })
  expect(await Promise.all(statuses)).toEqual([200, 403])
  expect(sim.journal().map(({ model }) => model)).toEqual(['talk-1', 'talk-2'])
})

it('lets a call over POST say that it changes nothing', () => {
  const search = call({ route: 'POST /talk/search', does: 'list', reply: () => [] })
  const own = defineApi({ ...talk, name: 'finder', operations: { search } })
  const sim = createSimulator({ apis: [own], cacheDir: false })
  expect(sim.core.operations.roleOf('finder.search')).toBe('list')
})

it('refuses a webhook of an API without jobs, since nothing would ever send one', () => {
  const webhook = { to: () => 'http://localhost:1/hook', body: () => ({}) }
  expect(() => defineApi({ ...talk, webhook })).toThrow(
    'API "talk": webhook is never sent, since all operations are calls: webhooks are about jobs. Leave it out, or add submit and poll.',
  )
})

import { expect, it } from 'vitest'
import { defineApi, poll, submit, z, type ApiDefinition } from '../../src/apis/own/index.ts'
import { createSimulator } from '../../src/index.ts'
import { needs, servedRows } from '../support/needs.ts'

const hints: readonly [string, string, string | undefined][] = [
  ['POST', '/v1/video/generation', 'Did you mean POST /v1/video/generations (video.submit)?'],
  [
    'GET',
    '/v1/video/generation/task_0123456789abcdef0123456789abcdef',
    'Did you mean GET /v1/video/generations/{task_id} (video.poll)?',
  ],
  ['GET', '/video/generations/task_1', 'Did you mean GET /v1/video/generations/{task_id} (video.poll)?'],
  ['POST', '/v1/v1/chat/completions', 'Did you mean POST /v1/chat/completions (chat.complete)?'],
  ['POST', '/chat/completions', 'Did you mean POST /v1/chat/completions (chat.complete)?'],
  [
    'POST',
    '/v1beta/model/sim-text-1:generateContent',
    'Did you mean POST /v1beta/models/{model}:generateContent (text.generate)?',
  ],
  ['GET', '/mj/submit/imagine', 'This path takes POST (mj.imagine).'],
  ['GET', '/mj/submit/imagin', 'Did you mean POST /mj/submit/imagine (mj.imagine)?'],
  ['GET', '/v1/videos', "The gateway doesn't offer it. The option video: { listAndDelete: true } brings it."],
  ['GET', '/v1/video/generation', 'Did you mean POST /v1/video/generations (video.submit)?'],
  ['POST', '/v1/video/generations/', 'Did you mean POST /v1/video/generations (video.submit)?'],
  ['POST', '/v1/videos/generations', 'Did you mean POST /v1/video/generations (video.submit)?'],
  ['POST', '/v1/videos/task_1', 'This path takes GET (videos.retrieve).'],
  ['POST', '/v1/videos/upscale', ''],
  ['GET', '/v1/video/generations/latest/frames', ''],
  ['POST', '/v1/responses/search', ''],
  ['POST', '/v1beta/models/m:fooBar', ''],
  [
    'POST',
    '/v1beta/models/m:generatecontent',
    'Did you mean POST /v1beta/models/{model}:generateContent (text.generate)?',
  ],
  [
    'POST',
    '/v1beta/models/m/generateContent',
    'Did you mean POST /v1beta/models/{model}:generateContent (text.generate)?',
  ],
  [
    'POST',
    '/v1beta/v1beta/models/m:generateContent',
    'Did you mean POST /v1beta/models/{model}:generateContent (text.generate)?',
  ],
  ['GET', '/v1beta/models/m:generateContent', 'This path takes POST (text.generate).'],
  ['GET', '/mj/task/1', 'Did you mean GET /mj/task/{id}/fetch (mj.fetch)?'],
  ['POST', '/mj/imagine', 'Did you mean POST /mj/submit/imagine (mj.imagine)?'],
  ['POST', '/mj/submit', ''],
  ['POST', '/v1/chatcompletions', 'Did you mean POST /v1/chat/completions (chat.complete)?'],
  ['GET', '/v1/chatcompletions', 'Did you mean POST /v1/chat/completions (chat.complete)?'],
  ['POST', '/proxy/v1/moderations/now', ''],
  ['GET', '/v1/moderations/now', ''],
  ['GET', '/files/0123456789abcdef0123456789abcdef0123456789abcdef', ''],
  ['GET', '/', ''],
  ['GET', '', ''],
  ['GET', `/${'a/'.repeat(5000)}`, ''],
  ['GET', '/v1/models?limit=3', undefined],
  ['GET', '/ns/mine/v1/models', undefined],
  ['OPTIONS', '/v1/models', undefined],
  ['OPTIONS', '/v1/nothing/of/the/kind', ''],
  ['GET', '/_greenroom/anything', undefined],
]

it.each(servedRows(hints))('says of %s %s what was meant', async (method, path, hint) => {
  await using sim = createSimulator({ cacheDir: false })
  expect(sim.core.unserved(method, path)).toBe(hint)
})

it.each(
  servedRows([
    ['POST', '/v1/images/variations', 'images.edit'],
    ['POST', '/v1/videos/edits', 'video.submit'],
    ['POST', '/v1/videos/characters', 'video.submit'],
    ['GET', '/v1/chat/completions/chatcmpl_1', 'chat.complete'],
    ['POST', '/kling/v1/videos/text2video', 'video.submit'],
    ['GET', '/v1/dashboard/billing/credit_grants', 'balance.subscription'],
    ['GET', '/api/user/self', 'models.prices'],
    ['POST', '/v1/messages/batches', 'messages.create'],
    ['POST', '/v1/engines/ada/embeddings', 'embeddings.create'],
    ['POST', '/v1/responses/resp_1/cancel', 'responses.create'],
    ['POST', '/v1/completions', 'chat.complete'],
    ['POST', '/v1/complete', 'chat.complete'],
    ['POST', '/v1/conversations', 'responses.create'],
    ['POST', '/v1/assistants', 'responses.create'],
    ['POST', '/v1/threads/thread_1/runs', 'responses.create'],
    ['POST', '/v1beta/models/veo-3:predictLongRunning', 'video.submit'],
    ['POST', '/v1beta/models/veo-3%3ApredictLongRunning', 'video.submit'],
    ['POST', '/v1beta/models/imagen-4:predict', 'images.generate'],
    ['GET', '/v1beta/models/veo-3/operations/abc', 'video.poll'],
  ]),
)('names what to call in place of %s %s', async (method, path, operation) => {
  await using sim = createSimulator({ cacheDir: false })
  expect(sim.core.unserved(method, path)).toMatch(
    new RegExp(`\\(${operation.replace('.', '\\.')}\\)\\. .*serve --handlers`),
  )
})

it.each(
  servedRows([
    ['POST', '/v1/files', 'Files are not offered.'],
    ['GET', '/v1/files/file_1/content', 'Files are not offered.'],
    ['POST', '/upload/v1beta/files', 'Files and caches are not offered.'],
    ['POST', '/v1/audio/speech', 'Audio is not offered.'],
    ['POST', '/v1/audio/transcriptions', 'Audio is not offered.'],
    ['POST', '/v1/moderations', 'Moderations are not offered.'],
    ['POST', '/v1/batches', 'This API is not offered.'],
    ['POST', '/v1/rerank', 'Reranking is not offered.'],
    ['POST', '/suno/submit/music', 'Music is not offered.'],
    ['POST', '/v1beta/interactions', 'Interactions are not offered. Use generateContent.'],
    ['POST', '/v1alpha/auth_tokens', 'Tokens of sessions are not offered.'],
    ['POST', '/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent', 'Vertex AI'],
    ['POST', '/v1/publishers/google/models/m:generateContent', 'Vertex AI'],
    ['POST', '/v1/video/create', 'Use POST /v1/video/generations (video.submit)'],
    ['GET', '/v1/video/query?id=1', 'GET /v1/video/generations/{task_id} (video.poll)'],
    ['GET', '/mj/account/list', 'Accounts of the drawing channel are not offered.'],
    ['POST', '/v1/videos/edits', 'Edits, extensions and characters of videos are not offered.'],
    ['POST', '/v1/fine_tuning/jobs', 'This API is not offered.'],
    ['POST', '/v1beta/models/veo-3:predictLongRunning', 'predictLongRunning is not offered.'],
  ]),
)('says in the message that %s %s is not offered, and what to do', async (method, path, message) => {
  needs('video.submit')
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch(`https://gateway.example${path}`, { method })
  const { error } = (await response.json()) as { error: { message: string } }
  expect(error.message).toContain(message)
  expect(error.message).toMatch(/serve --handlers, or MSW in a test\.$/)
})

it('says in the header and in the message where the API is when no route is near', async () => {
  needs('video.submit', 'text.generate', 'mj.imagine')
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch('https://gateway.example/totally/else')
  const { error } = (await response.json()) as { error: { message: string } }
  const advice = response.headers.get('x-greenroom-hint')
  expect(advice).toMatch(/^Check the path: the API is below \/v1, \/v1beta and \/mj, such as POST /)
  expect(error.message).toBe(`Invalid URL (GET /totally/else). ${advice}`)
})

it.each(
  servedRows([
    ['GET', '/v1/files', 501],
    ['POST', '/v1/files', 501],
    ['GET', '/v1/files/file_1/content', 501],
    ['DELETE', '/v1/files/file_1', 501],
    ['POST', '/v1/fine-tunes/ft_1/cancel', 501],
    ['POST', '/v1/images/variations', 501],
    ['DELETE', '/v1/models/sim-text-1', 501],
    ['PUT', '/v1/files', 404],
    ['GET', '/v1/filesystem', 404],
  ]),
)('answers %s %s, which it doesn’t serve, with %i', async (method, path, status) => {
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch(`https://gateway.example${path}`, { method })
  const { error } = (await response.json()) as { error: unknown }
  const param = { param: '', type: expect.any(String) }
  const advice = response.headers.get('x-greenroom-hint')
  const words = status === 501 ? 'API not implemented' : `Invalid URL (${method} ${path})`
  const code = status === 501 ? 'api_not_implemented' : ''
  expect([response.status, error]).toEqual([
    status,
    { message: advice === null ? words : `${words}. ${advice}`, code, ...param },
  ])
  if (status === 404) expect(advice).not.toBeNull()
})

it('names the option that brings what the gateway doesn’t offer, as long as it isn’t set', async () => {
  const calls = [['DELETE', '/v1/videos/task_1', 'video: { listAndDelete: true }']] as const
  await using sim = createSimulator({ cacheDir: false })
  for (const [method, path, option] of calls) expect(sim.core.unserved(method, path)).toContain(option)
  await using more = createSimulator({
    cacheDir: false,
    video: { listAndDelete: true },
  })
  for (const [method, path] of calls) expect(more.core.unserved(method, path)).toBeUndefined()
})

it.each(
  servedRows([
    ['GET', '/v1/files/file_1/content', 501],
    ['GET', '/v1/files/file_1/content/more', 404],
    ['GET', '/x/v1/files', 404],
    ['PUT', '/v1/files', 404],
    ['POST', '/v1/fine-tunes', 501],
    ['DELETE', '/v1/models/sim-video-1', 501],
    ['DELETE', '/v1/models/sim-video-1/more', 404],
    ['POST', '/v1/images/variations', 501],
  ]),
)('answers %s %s with %i', async (method, path, status) => {
  await using sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-test' }
  const response = await sim.fetch(`http://gateway.test${path}`, { method, headers })
  expect(response.status).toBe(status)
})

const asGoogle = { 'x-goog-api-key': 'sk-test' }

it.each(
  servedRows([
    ['POST', '/v1beta/models/m:fooBar', 'Check the path: the API is below'],
    ['POST', '/v1beta/files', 'Files and caches are not offered.'],
    ['POST', '/upload/v1beta/files', 'Files and caches are not offered.'],
    ['POST', '/v1/models/veo-3:predictLongRunning', 'predictLongRunning is not offered.'],
  ]),
)('refuses %s %s in the envelope that native clients read', async (method, path, advice) => {
  needs('video.submit')
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch(`https://gateway.example${path}`, { method, headers: asGoogle })
  const { error } = (await response.json()) as { error: object }
  expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND', message: expect.stringContaining(advice) })
})

// The list of models has a second path below /v1beta/openai.
it.each(['completions', 'completion'])('says of /v1beta/openai/chat/%s what was meant', async (last) => {
  needs('models.list', 'chat.complete')
  await using sim = createSimulator({ cacheDir: false })
  const hint = sim.core.unserved('POST', `/v1beta/openai/chat/${last}`)
  expect(hint).toBe('Did you mean POST /v1/chat/completions (chat.complete)?')
})

it.each(['/v1beta/openai/nothing', '/v1/nothing'])('refuses %s as the gateway does', async (path) => {
  if (path.includes('openai')) needs('models.list')
  await using sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-test' }
  const response = await sim.fetch(`https://gateway.example${path}`, { headers })
  expect(await response.json()).toMatchObject({ error: { code: '', type: 'invalid_request_error' } })
})

it('counts an unserved path of a native client in the namespace of its key', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const headers = { 'x-goog-api-key': 'sk-sim-mine' }
  await sim.fetch('https://gateway.example/v1beta/models', { headers })
  await sim.fetch('https://gateway.example/v1beta/nothing', { headers })
  const paths = sim
    .namespace('mine')
    .journal()
    .map(({ path }) => path)
  expect(paths).toEqual(['/v1beta/models', '/v1beta/nothing'])
})

it('finds the action that a path means, in any case and behind an encoded colon', async () => {
  await using sim = createSimulator({ cacheDir: false })
  for (const action of ['m:GENERATECONTENT', 'm%3agenerateContnt', 'm/generatecontent/'])
    expect(sim.core.unserved('POST', `/v1beta/models/${action}`)).toBe(
      'Did you mean POST /v1beta/models/{model}:generateContent (text.generate)?',
    )
})

/** An API of a user: a job is made below /acme, and read by the names `names`. */
function acmeWith(names: readonly string[]): ReturnType<typeof createSimulator> {
  const create = submit({
    route: 'POST /acme/jobs',
    body: z.object({}),
    job: () => ({ model: 'acme-1', prompt: 'a kite' }),
    reply: ({ id }) => ({ id }),
  })
  const reads = names.map((name) => [
    name,
    poll({ route: `GET /acme/${name}/{id}`, reply: ({ status }) => status }),
  ])
  const operations = { create, ...Object.fromEntries(reads) } as ApiDefinition['operations']
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  return createSimulator({
    cacheDir: false,
    apis: [defineApi({ name: 'acme', states, operations, error: ({ message }) => ({ message }) })],
  })
}

it.each([
  ['GET', '/acme/jobs', 'This path takes POST (acme.create).'],
  ['GET', '/acme/job', 'Did you mean POST /acme/jobs (acme.create)?'],
  ['PUT', '/acme/state/job_1', 'This path takes GET (acme.state).'],
  ['GET', '/acme/stat/job_1', 'Did you mean GET /acme/state/{id} (acme.state)?'],
  [
    'GET',
    '/acme/other/of/many',
    'The operations of acme are POST /acme/jobs (acme.create), GET /acme/state/{id} (acme.state), GET HEAD /acme/output/{id}/{n} (acme.output).',
  ],
])('advises on %s %s as its API would', async (method, path, advice) => {
  await using sim = acmeWith(['state'])
  const response = await sim.fetch(path, { method, headers: { authorization: 'Bearer sk-a' } })
  expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([404, advice])
})

it('lists eight operations of an API of a user, and counts the others', async () => {
  const hintWith = async (count: number): Promise<string | null> => {
    await using sim = acmeWith(Array.from({ length: count }, (_, index) => `read${index}`))
    return (await sim.fetch('/acme/other/of/many')).headers.get('x-greenroom-hint')
  }
  expect(await hintWith(6)).toMatch(/ GET HEAD \/acme\/output\/\{id\}\/\{n\} \(acme\.output\)\.$/)
  expect(await hintWith(7)).toMatch(/ \(acme\.read6\) and 1 more\.$/)
})

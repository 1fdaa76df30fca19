import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

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

it.each(hints)('says of %s %s what was meant', async (method, path, hint) => {
  await using sim = createSimulator({ cacheDir: false })
  expect(sim.core.unserved(method, path)).toBe(hint)
})

it.each([
  ['GET', '/v1/files', 501],
  ['POST', '/v1/files', 501],
  ['GET', '/v1/files/file_1/content', 501],
  ['DELETE', '/v1/files/file_1', 501],
  ['POST', '/v1/fine-tunes/ft_1/cancel', 501],
  ['POST', '/v1/images/variations', 501],
  ['DELETE', '/v1/models/sim-text-1', 501],
  ['PUT', '/v1/files', 404],
  ['GET', '/v1/filesystem', 404],
  ['POST', '/v1/images/generations', 404],
])('answers %s %s, which it doesn’t serve, with %i', async (method, path, status) => {
  await using sim = createSimulator({ cacheDir: false })
  const response = await sim.fetch(`https://gateway.example${path}`, { method })
  const { error } = (await response.json()) as { error: unknown }
  const param = { param: '', type: expect.any(String) }
  expect([response.status, error]).toEqual([
    status,
    status === 501
      ? { message: 'API not implemented', code: 'api_not_implemented', ...param }
      : { message: `Invalid URL (${method} ${path})`, code: '', ...param },
  ])
})

it('names the option that brings what the gateway doesn’t offer, as long as it isn’t set', async () => {
  const calls = [
    ['DELETE', '/v1/videos/task_1', 'video: { listAndDelete: true }'],
    ['GET', '/mj/task/list', 'drawing: { proxyCalls: true }'],
    ['GET', '/mj/task/queue', 'drawing: { proxyCalls: true }'],
    ['POST', '/mj/task/1/cancel', 'drawing: { proxyCalls: true }'],
  ] as const
  await using sim = createSimulator({ cacheDir: false })
  for (const [method, path, option] of calls) expect(sim.core.unserved(method, path)).toContain(option)
  await using more = createSimulator({
    cacheDir: false,
    video: { listAndDelete: true },
    drawing: { proxyCalls: true },
  })
  for (const [method, path] of calls) expect(more.core.unserved(method, path)).toBeUndefined()
})

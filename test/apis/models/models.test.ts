import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { postVideo } from '../../support/video.ts'

const native = { 'x-goog-api-key': 'sk-test' }
/** Fields of `ModelInfo` in Anthropic's SDK that models here have no value for. */
const unknownFields = [
  'capabilities',
  'deprecated_at',
  'line',
  'max_input_tokens',
  'max_tokens',
  'retires_at',
]
const anthropic = { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' }
const bearer = { authorization: 'Bearer sk-test' }

const get = async (
  transport: OpenTransport,
  path: string,
  headers: Record<string, string>,
): Promise<unknown> => {
  const response = await transport.call(path, { headers })
  return [response.status, await response.json()]
}

describeTransports((open) => {
  it('lists for OpenAI’s clients below /v1beta/openai, with any kind of key', async () => {
    await using transport = await open()
    const listed = await get(transport, '/v1beta/openai/models', bearer)
    expect(listed).toMatchObject([200, { object: 'list', data: [{ id: 'sim-text-1' }, {}, {}, {}, {}, {}] }])
    expect(await get(transport, '/v1beta/openai/models', native)).toEqual(listed)
    expect(await get(transport, '/v1beta/openai/models?key=sk-test', {})).toEqual(listed)
    expect(await get(transport, '/v1beta/openai/models/sora-2', native)).toMatchObject([
      200,
      { id: 'sora-2' },
    ])
    expect(await get(transport, '/v1beta/openai/models/unknown', native)).toMatchObject([
      404,
      { error: { code: 'model_not_found' } },
    ])
  })

  it('refuses a request with a native key natively below /v1', async () => {
    await using transport = await open()
    const refused = [
      ['/v1/models?pageSize=x', 400, 'INVALID_ARGUMENT'],
      ['/v1/models/unknown', 404, 'NOT_FOUND'],
      ['/v1beta/models/unknown', 404, 'NOT_FOUND'],
    ] as const
    for (const [path, code, status] of refused) {
      expect(await get(transport, path, native), path).toMatchObject([code, { error: { code, status } }])
    }
    const unauthenticated = { error: { code: 401, status: 'UNAUTHENTICATED' } }
    expect(await get(transport, '/v1/models?key=unknown', {})).toMatchObject([401, unauthenticated])
    expect(await get(transport, '/v1/models', { authorization: 'Bearer unknown' })).toMatchObject([
      401,
      { error: { code: '', type: 'new_api_error' } },
    ])
  })

  it('lists for Anthropic’s clients, by their key and version', async () => {
    await using transport = await open()
    const created = {
      created_at: '2021-07-20T10:40:00Z',
      type: 'model',
      lifecycle: 'active',
      ...Object.fromEntries(unknownFields.map((field) => [field, null])),
    }
    const listed = (await get(transport, '/v1/models', anthropic)) as [number, { data: unknown[] }]
    expect(listed).toMatchObject([200, { has_more: false, first_id: 'sim-text-1', last_id: 'mj_imagine' }])
    expect(listed[1].data[0]).toEqual({ id: 'sim-text-1', display_name: 'sim-text-1', ...created })
    const one = [200, { id: 'sora-2', display_name: 'sora-2', ...created }]
    expect(await get(transport, '/v1/models/sora-2', anthropic)).toEqual(one)
    const withOthers = { ...bearer, ...native, ...anthropic }
    expect(await get(transport, '/v1/models/sora-2', withOthers)).toEqual(one)
  })

  it('takes x-api-key only with a version, and only for models', async () => {
    await using transport = await open()
    const refused = [401, { error: { type: 'new_api_error' } }]
    expect(await get(transport, '/v1/models', { 'x-api-key': 'sk-test' })).toMatchObject(refused)
    const own = [401, { type: 'error', error: { type: 'authentication_error' } }]
    expect(await get(transport, '/v1/models', { ...anthropic, 'x-api-key': 'none' })).toMatchObject(own)
    expect(await get(transport, '/v1/videos/task_1', anthropic)).toMatchObject([401, {}])
    // Anthropic's SDK sends its key so since version 1.
    const { 'x-api-key': _key, ...version } = anthropic
    expect(await get(transport, '/v1/models', { ...bearer, ...version })).toMatchObject([
      200,
      { has_more: false },
    ])
    expect(await get(transport, '/v1/models', bearer)).toMatchObject([200, { object: 'list' }])
  })

  it('gets natively only what it lists natively', async () => {
    await using transport = await open()
    for (const name of ['sora-2', 'mj_imagine']) {
      for (const path of [`/v1beta/models/${name}`, `/v1/models/${name}`]) {
        expect(await get(transport, path, native), path).toMatchObject([
          404,
          { error: { status: 'NOT_FOUND' } },
        ])
      }
      expect(await get(transport, `/v1/models/${name}`, bearer)).toMatchObject([200, { id: name }])
    }
  })

  it('makes no video of a model whose name says that it draws', async () => {
    await using transport = await open({ models: [{ name: 'video-1' }, { name: 'mj_imagine' }] })
    const refused = await postVideo(transport, { prompt: 'a kite', model: 'mj_imagine' })
    expect([refused.status, await refused.json(), refused.headers.get('x-greenroom-hint')]).toMatchObject([
      503,
      { error: { code: 'model_not_found' } },
      'The configured models are: video-1.',
    ])
  })
})

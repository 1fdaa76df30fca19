import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.ts'
import { dataUrl, draw, drawn, fetchDrawing, postDrawing, press, pressed } from '../../support/drawing.ts'
import { authorization, submitVideo } from '../../support/video.ts'

const rings = dataUrl('rings.png')

/** Pictures by short names, so that titles can be read. */
const withPictures = (fields: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(fields).replaceAll('<rings>', rings)) as Record<string, unknown>
const anyJob = '3785da15-4f70-4034-9128-f3ff1ac634fa'

/** A refusal by the gateway itself. */
const gatewayRefuses = (description: string): unknown => [
  400,
  { code: 4, description: `${description} `, type: 'upstream_error' },
]
/** A refusal by what stands behind it. */
const backEndRefuses = (code: number, description: string): unknown => [
  200,
  { code, description, result: null, properties: {} },
]

describeTransports((open) => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['submit/imagine', {}, gatewayRefuses('prompt_is_required')],
    ['submit/imagine', { prompt: '  ' }, gatewayRefuses('prompt_is_required')],
    ['submit/imagine', { prompt: null }, gatewayRefuses('prompt_is_required')],
    ['submit/imagine', { prompt: 'x'.repeat(33_000) }, backEndRefuses(4, '参数错误')],
    ['submit/imagine', { prompt: 'x', base64Array: ['%%%'] }, backEndRefuses(4, 'base64格式错误')],
    [
      'submit/imagine',
      { prompt: 'x', base64Array: ['aGVsbG8gd29ybGQ='] },
      backEndRefuses(4, 'base64格式错误'),
    ],
    [
      'submit/imagine',
      { prompt: 'x', base64Array: [rings.slice(0, 600)] },
      backEndRefuses(4, 'base64格式错误'),
    ],
    ['submit/imagine', { prompt: 'x', base64Array: [7] }, backEndRefuses(4, 'base64格式错误')],
    [
      'submit/imagine',
      { prompt: 'x', base64Array: Array(11).fill('<rings>') },
      backEndRefuses(4, 'base64List参数错误'),
    ],
    ['submit/imagine', { prompt: 'x [[render soon]]' }, backEndRefuses(4, '参数错误')],
    ['submit/blend', {}, backEndRefuses(4, 'base64List参数错误')],
    ['submit/blend', { base64Array: ['<rings>'] }, backEndRefuses(4, 'base64List参数错误')],
    ['submit/blend', { base64Array: Array(6).fill('<rings>') }, backEndRefuses(4, 'base64List参数错误')],
    ['submit/blend', { base64Array: ['<rings>', 'nonsense!'] }, backEndRefuses(4, 'base64格式错误')],
    [
      'submit/blend',
      { base64Array: ['<rings>', '<rings>'], dimensions: 'WIDE' },
      backEndRefuses(4, 'dimensions参数错误'),
    ],
    ['submit/describe', {}, backEndRefuses(4, 'base64不能为空')],
    ['submit/describe', { base64: '' }, backEndRefuses(4, 'base64不能为空')],
    ['submit/describe', { base64: 'data:image/png,plain' }, backEndRefuses(4, 'base64格式错误')],
    [
      'submit/blend',
      { base64Array: ['<rings>', '<rings>'], dimensions: null },
      backEndRefuses(4, 'dimensions参数错误'),
    ],
    ['submit/change', { taskId: '1', action: 'UPSCALE', index: true }, backEndRefuses(4, '参数错误')],
    ['submit/upload-discord-images', {}, backEndRefuses(4, 'base64不能为空')],
    ['submit/upload-discord-images', { base64Array: ['!'] }, backEndRefuses(4, 'base64格式错误')],
    ['submit/change', {}, gatewayRefuses('action_is_required')],
    ['submit/change', { action: 'REROLL' }, gatewayRefuses('task_id_is_required')],
    ['submit/change', { taskId: '1' }, gatewayRefuses('action_is_required')],
    ['submit/change', { taskId: '1', action: 'UPSCALE' }, gatewayRefuses('index_is_required')],
    ['submit/change', { taskId: '1', action: 'UPSCALE', index: 2 }, gatewayRefuses('task_not_found')],
    ['submit/simple-change', {}, gatewayRefuses('content_is_required')],
    ['submit/simple-change', { content: 'what is this' }, gatewayRefuses('content_parse_failed')],
    ['submit/simple-change', { content: '1 U5' }, gatewayRefuses('content_parse_failed')],
    ['submit/simple-change', { content: '1 U2' }, gatewayRefuses('task_not_found')],
    ['submit/action', { customId: `MJ::JOB::upsample::2::${anyJob}` }, gatewayRefuses('task_id_is_required')],
    [
      'submit/action',
      { taskId: '1', customId: `MJ::JOB::upsample::2::${anyJob}` },
      gatewayRefuses('task_not_found'),
    ],
    ['submit/modal', {}, gatewayRefuses('task_id_is_required')],
    ['submit/modal', { taskId: '1' }, gatewayRefuses('task_not_found')],
  ])('refuses %s with %j and makes nothing', async (path, fields, expected) => {
    await using gateway = await open()
    const response = await postDrawing(gateway, path, withPictures(fields))
    expect([response.status, await response.json()]).toEqual(expected)
    expect(gateway.sim.tasks()).toEqual([])
  })

  it.each<[unknown, string]>([
    [undefined, 'custom_id_is_required'],
    ['', 'custom_id_is_required'],
    ['nonsense', 'unknown_action:nonsense'],
    ['MJ::JOB::nope::1::x', 'unknown_action:MJ::JOB::nope::1::x'],
    ['MJ::constructor::1', 'unknown_action:MJ::constructor::1'],
    ['MJ::JOB::animate_high::1::x::SOLO', 'unknown_action:MJ::JOB::animate_high::1::x::SOLO'],
  ])('refuses a press of %j while routing', async (customId, text) => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a fox' })
    const response = await postDrawing(gateway, 'submit/action', { taskId: grid.id, customId })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining(`Invalid request: ${text}`) },
    })
  })

  it('refuses buttons of other images, of other kinds of results, and after the fourth', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a fox' })
    const job = grid.buttons![0]!.customId.split('::')[4]!
    const answerTo = (customId: string): Promise<unknown> =>
      draw(gateway, 'submit/action', { taskId: grid.id, customId })
    expect(await answerTo(`MJ::JOB::upsample::2::${anyJob}`)).toMatchObject({
      code: 3,
      description: '关联任务不存在或已失效',
    })
    expect(await answerTo(`MJ::Inpaint::1::${job}::SOLO`)).toMatchObject({
      code: 4,
      description: '关联任务不允许执行变化',
    })
    expect(await answerTo(`MJ::JOB::variation::5::${job}`)).toMatchObject({
      code: 4,
      description: '参数错误',
    })
  })

  it('refuses to change a result that is no grid of four', async () => {
    await using gateway = await open()
    const single = await pressed(gateway, await drawn(gateway, 'submit/imagine', { prompt: 'a fox' }), 'U1')
    const change = { taskId: single.id, action: 'VARIATION', index: 1 }
    expect(await draw(gateway, 'submit/change', change)).toMatchObject({
      code: 4,
      description: '关联任务不允许执行变化',
    })
    expect(await draw(gateway, 'submit/simple-change', { content: `${single.id} R` })).toMatchObject({
      code: 4,
    })
  })

  it('refuses a parent that has not ended, failed, or is a video', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result: busy } = await draw(gateway, 'submit/imagine', { prompt: 'a fox' })
    const { result: failing } = await draw(gateway, 'submit/imagine', { prompt: 'a fox [[fail: no]]' })
    const change = async (taskId: string): Promise<unknown> => {
      const response = await postDrawing(gateway, 'submit/change', { taskId, action: 'UPSCALE', index: 1 })
      return [response.status, await response.json()]
    }
    expect(await change(busy)).toEqual(gatewayRefuses('task_status_not_success'))
    await gateway.sim.clock.advance('5m')
    expect(await change(failing)).toEqual(gatewayRefuses('task_status_not_success'))
    expect(await change(await submitVideo(gateway))).toEqual(gatewayRefuses('task_not_found'))
    expect(gateway.sim.tasks()).toHaveLength(3)
  })

  it('refuses a mask that is not an image, and leaves the dialog open', async () => {
    await using gateway = await open()
    const single = await pressed(gateway, await drawn(gateway, 'submit/imagine', { prompt: 'a fox' }), 'U1')
    const { result } = await press(gateway, single, 'Vary (Region)')
    const broken = await draw(gateway, 'submit/modal', { taskId: result, maskBase64: 'bm90IGEgcGljdHVyZQ==' })
    expect(broken).toMatchObject({ code: 4, description: 'base64格式错误' })
    expect(await fetchDrawing(gateway, result)).toMatchObject({ status: 'MODAL' })
  })

  it('fails a dialog whose answer has flags that the channel does not take', async () => {
    await using gateway = await open()
    const single = await pressed(gateway, await drawn(gateway, 'submit/imagine', { prompt: 'a fox' }), 'U1')
    const { result } = await press(gateway, single, 'Custom Zoom')
    expect(await draw(gateway, 'submit/modal', { taskId: result, prompt: 'a fox --zoom 9' })).toMatchObject({
      code: 1,
    })
    expect(await fetchDrawing(gateway, result)).toMatchObject({
      status: 'FAILURE',
      failReason: '[Invalid parameter] Invalid value provided for argument --zoom: "9"',
    })
  })

  it.each([
    [3, 200, '无可用的账号实例'],
    [4, 200, '参数错误'],
    [5, 400, 'do_request_failed '],
    [9, 200, '提交失败，队列已满，请稍后重试'],
    [23, 200, '队列已满，请稍后尝试'],
    [24, 200, '可能包含敏感词'],
    [30, 429, '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。 '],
    [77, 200, '参数错误'],
  ])('answers a prompt that asks for it with code %i', async (code, status, description) => {
    await using gateway = await open()
    const response = await postDrawing(gateway, 'submit/imagine', { prompt: `a fox [[code ${code}]]` })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code: code === 77 ? 4 : code, description })
    expect(gateway.sim.tasks()).toEqual([])
  })

  it.each([
    [{ authorization: '', 'mj-api-secret': 'Bearer sk-test' }, 200],
    [{ authorization: 'Bearer midjourney-proxy', 'mj-api-secret': 'sk-test' }, 200],
    [{ authorization: 'Bearer sk-test', 'mj-api-secret': 'bad' }, 200],
    [{ authorization: 'Bearer midjourney-proxy' }, 401],
    [{ authorization: '' }, 401],
  ])('takes a key in the header of the drawing proxies, after Authorization: %j', async (headers, status) => {
    await using gateway = await open()
    const sent = headers as Record<string, string>
    expect((await postDrawing(gateway, 'submit/imagine', { prompt: 'a fox' }, sent)).status).toBe(status)
  })

  it('takes the header of the drawing proxies on no other path', async () => {
    await using gateway = await open()
    const response = await gateway.call('/v1/models', { headers: { 'mj-api-secret': 'sk-test' } })
    expect(response.status).toBe(401)
  })

  it.each([
    ['/mj/submit/imagine', '{"prompt":', 400, 'Invalid request: Invalid Midjourney request'],
    ['/mj/submit/imagine', '[]', 400, 'Invalid request: Invalid Midjourney request'],
    ['/mj/submit/imagine', '{"prompt":7}', 400, 'field prompt must be a string'],
    ['/mj/submit/nothing', '{}', 404, 'Invalid URL'],
    ['/mj/task/list-by-condition', '{', 400, 'do_request_failed'],
  ])('answers %s with the body %s clearly', async (path, body, status, text) => {
    await using gateway = await open()
    const response = await gateway.call(path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(text)
  })
})

import { expect, it } from 'vitest'
import { lifecycle } from '../../../src/apis/drawing/lifecycle.ts'
import { describeTransports } from '../../support/transports.ts'
import {
  buttonOf,
  dataUrl,
  draw,
  drawn,
  fetchDrawing,
  finished,
  postDrawing,
  press,
  pressed,
} from '../../support/drawing.ts'
import { authorization, submitVideo } from '../../support/video.ts'

describeTransports((open, transport) => {
  it('takes a drawing from submission to image', async () => {
    await using gateway = await open()
    const submitted = await draw(gateway, 'submit/imagine', { prompt: 'a red fox --ar 1:1' })
    expect(submitted).toMatchObject({ code: 1, description: 'Submit success' })
    expect(submitted.result).toMatch(/^\d{16}$/)
    const first = await fetchDrawing(gateway, submitted.result)
    expect(first).toMatchObject({
      id: submitted.result,
      status: 'IN_PROGRESS',
      buttons: null,
    })
    const last = await finished(gateway, submitted.result)
    expect(last).toMatchObject({
      action: 'IMAGINE',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a red fox --ar 1:1',
    })
    expect(last.imageUrl).toBe(`${gateway.url}/mj/image/${submitted.result}`)
  })

  it('passes the states of the channel in order, with the steps of its progress', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result } = await draw(gateway, 'submit/imagine', { prompt: 'a harbour' })
    const seen: string[] = []
    for (let step = 0; step < 160; step++) {
      const { status, progress } = await fetchDrawing(gateway, result)
      if (seen.at(-1) !== `${status} ${progress}`) seen.push(`${status} ${progress}`)
      await gateway.sim.clock.advance('250ms')
    }
    expect(seen).toEqual([
      'NOT_START 0%',
      'SUBMITTED 0%',
      ...[0, 15, 31, 46, 62, 78, 93].map((rung) => `IN_PROGRESS ${rung}%`),
      'SUCCESS 100%',
    ])
  })

  it('counts times in milliseconds, and has a time only once it was reached', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result } = await draw(gateway, 'submit/imagine', { prompt: 'a harbour' })
    const submitTime = gateway.sim.clock.now()
    expect(await fetchDrawing(gateway, result)).toMatchObject({ submitTime, startTime: 0, finishTime: 0 })
    await gateway.sim.clock.advanceUntil(result, 'SUBMITTED')
    const startTime = gateway.sim.clock.now()
    await gateway.sim.clock.advanceUntil(result, 'SUCCESS')
    const finishTime = gateway.sim.clock.now()
    await gateway.sim.clock.advance('1h')
    expect(await fetchDrawing(gateway, result)).toMatchObject({ submitTime, startTime, finishTime })
  })

  it('serves the image while it is being drawn, at a URL that changes', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result } = await draw(gateway, 'submit/imagine', { prompt: 'a harbour' })
    await gateway.sim.clock.advanceUntil(result, 'IN_PROGRESS')
    expect(await fetchDrawing(gateway, result)).toMatchObject({ imageUrl: '' })
    await gateway.sim.clock.advance('3s')
    const { imageUrl } = await fetchDrawing(gateway, result)
    expect(imageUrl).toBe(`${gateway.url}/mj/image/${result}?rand=${gateway.sim.clock.now()}000000`)
    const preview = await gateway.call(imageUrl.slice(gateway.url.length))
    expect(preview.headers.get('content-type')).toBe('image/png')
    expect(preview.headers.get('cache-control')).toBe('no-store')
  })

  it('gives a grid nine buttons in the order of the channel', async () => {
    await using gateway = await open()
    const { buttons } = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    expect(buttons!.map(({ label, emoji }) => label || emoji)).toEqual([
      'U1',
      'U2',
      'U3',
      'U4',
      '🔄',
      'V1',
      'V2',
      'V3',
      'V4',
    ])
    expect(buttons![1]).toMatchObject({
      customId: expect.stringMatching(/^MJ::JOB::upsample::2::[0-9a-f-]{36}$/),
      type: 2,
      style: 2,
    })
  })

  it.each([
    ['', 'v7_2x_subtle', 'v7_2x_creative'],
    ['--v 6.1', 'v6r1_2x_subtle', 'v6r1_2x_creative'],
    ['--v 6', 'v6_2x_subtle', 'v6_2x_creative'],
    ['--v 5.2', 'v5_2x', 'v5_4x'],
  ])('names the upscalers of a single picture after its version: %s', async (flags, subtle, creative) => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: `a red fox ${flags}` })
    const { buttons } = await pressed(gateway, grid, 'U2')
    expect(buttons!.map(({ customId }) => customId.split('::')[2]).slice(0, 2)).toEqual([
      `upsample_${subtle}`,
      `upsample_${creative}`,
    ])
    expect(buttons!.map(({ label, emoji }) => label || emoji).slice(2)).toEqual([
      'Vary (Subtle)',
      'Vary (Strong)',
      'Vary (Region)',
      'Zoom Out 2x',
      'Zoom Out 1.5x',
      'Custom Zoom',
      '⬅️',
      '➡️',
      '⬆️',
      '⬇️',
      'Animate (High motion)',
      'Animate (Low motion)',
      '🔄',
      '❤️',
    ])
  })

  it.each([
    ['Upscale (Subtle)', 'UPSCALE'],
    ['Vary (Subtle)', 'LOW_VARIATION'],
    ['Vary (Strong)', 'HIGH_VARIATION'],
    ['Zoom Out 2x', 'ZOOM'],
    ['Zoom Out 1.5x', 'ZOOM'],
    ['⬅️', 'PAN'],
    ['⬇️', 'PAN'],
    ['🔄', 'REROLL'],
  ])('carries out the button %s of a single picture as %s', async (name, action) => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' }),
      'U1',
    )
    expect(await pressed(gateway, single, name)).toMatchObject({
      action,
      status: 'SUCCESS',
      prompt: 'a red fox',
    })
  })

  it('rerolls an upscaled picture as a grid from the edit before', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const upscaled = await pressed(gateway, await pressed(gateway, grid, 'U1'), 'Upscale (Subtle)')
    const { id } = await pressed(gateway, upscaled, '🔄')
    expect(gateway.sim.task(id).request).toMatchObject({
      input: { kind: 'grid' },
      pictures: [{ drawing: { edits: [] } }],
    })
  })

  it('upscales and varies by change and in two words, too', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const changes = [
      await drawn(gateway, 'submit/change', { taskId: grid.id, action: 'VARIATION', index: 3 }),
      await drawn(gateway, 'submit/change', { taskId: grid.id, action: 'REROLL' }),
      await drawn(gateway, 'submit/simple-change', { content: `${grid.id} v4` }),
      await drawn(gateway, 'submit/simple-change', { content: `${grid.id} R` }),
    ]
    expect(changes.map(({ action }) => action)).toEqual(['VARIATION', 'REROLL', 'VARIATION', 'REROLL'])
  })

  it('answers a repeated upscale with the task of the first one', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const first = await pressed(gateway, grid, 'U2')
    const again = await draw(gateway, 'submit/change', { taskId: grid.id, action: 'UPSCALE', index: 2 })
    expect(again).toEqual({
      code: 1,
      description: '任务已存在',
      result: first.id,
      properties: { status: 'SUCCESS', imageUrl: first.imageUrl },
    })
    expect((await press(gateway, grid, 'U3')).result).not.toBe(first.id)
  })

  it('makes a new task of each variation', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const [one, other] = [await pressed(gateway, grid, 'V2'), await pressed(gateway, grid, 'V2')]
    expect(one.id).not.toBe(other.id)
  })

  it('opens a dialog before it repaints a region, and continues with the same id', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' }),
      'U1',
    )
    const dialog = await press(gateway, single, 'Vary (Region)')
    expect(dialog).toMatchObject({
      code: 21,
      description: 'Waiting for window confirm',
      properties: { finalPrompt: 'a red fox', remix: true },
    })
    expect(await fetchDrawing(gateway, dialog.result)).toMatchObject({
      action: 'INPAINT',
      status: 'MODAL',
      progress: '0%',
    })
    const answer = { taskId: dialog.result, prompt: 'a blue hat', maskBase64: dataUrl('mask.png') }
    expect(await draw(gateway, 'submit/modal', answer)).toMatchObject({ code: 1, result: dialog.result })
    expect(await finished(gateway, dialog.result)).toMatchObject({
      status: 'SUCCESS',
      prompt: 'a blue hat',
      action: 'INPAINT',
    })
  })

  it('accepts an answer to a dialog without a prompt or a mask', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' }),
      'U1',
    )
    const { result } = await press(gateway, single, 'Custom Zoom')
    await draw(gateway, 'submit/modal', { taskId: result })
    expect(await finished(gateway, result)).toMatchObject({
      action: 'CUSTOM_ZOOM',
      status: 'SUCCESS',
      prompt: 'a red fox',
    })
  })

  it('fails a task whose dialog is never answered', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result: id } = await draw(gateway, 'submit/imagine', { prompt: 'a red fox' })
    await gateway.sim.clock.advance('2m')
    const { result: upscaled } = await press(gateway, await fetchDrawing(gateway, id), 'U1')
    await gateway.sim.clock.advance('2m')
    const { result } = await press(gateway, await fetchDrawing(gateway, upscaled), 'Vary (Region)')
    await gateway.sim.clock.advance('299s')
    expect(await fetchDrawing(gateway, result)).toMatchObject({ status: 'MODAL' })
    await gateway.sim.clock.advance('1s')
    expect(await fetchDrawing(gateway, result)).toMatchObject({
      status: 'FAILURE',
      progress: '100%',
      failReason: '任务超时',
    })
    expect(await draw(gateway, 'submit/modal', { taskId: result })).toMatchObject({
      code: 4,
      description: '关联任务状态错误',
    })
  })

  it('asks for a prompt before a variation when remix is on, and reports it as accepted', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const dialog = await press(gateway, grid, 'V1', { enableRemix: true })
    expect(dialog).toMatchObject({
      code: 1,
      description: 'Waiting for window confirm',
      properties: { remix: true },
    })
    expect(await fetchDrawing(gateway, dialog.result)).toMatchObject({ status: 'MODAL' })
    await draw(gateway, 'submit/modal', { taskId: dialog.result, prompt: 'a blue fox' })
    expect(await finished(gateway, dialog.result)).toMatchObject({
      prompt: 'a blue fox',
      action: 'VARIATION',
    })
  })

  it('bookmarks without making a task', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' }),
      'U1',
    )
    const before = gateway.sim.tasks().length
    expect(await press(gateway, single, '❤️')).toMatchObject({ code: 1, result: single.id })
    expect(gateway.sim.tasks()).toHaveLength(before)
  })

  it('describes an image in four prompts, each of which can be imagined', async () => {
    await using gateway = await open()
    const described = await drawn(gateway, 'submit/describe', { base64: dataUrl('rings.png') })
    expect(described.action).toBe('DESCRIBE')
    const lines = described.prompt.split('\n\n')
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['1️⃣', '2️⃣', '3️⃣', '4️⃣'])
    expect(described.properties!.finalPrompt).toBe(described.prompt)
    expect(described.buttons!.map(({ customId }) => customId)).toEqual([
      ...[1, 2, 3, 4].map((number) => `MJ::Job::PicReader::${number}`),
      'MJ::Picread::Retry',
      'MJ::Job::PicReader::all',
    ])
    const imagined = await pressed(gateway, described, '3️⃣')
    expect(imagined).toMatchObject({ action: 'IMAGINE', prompt: lines[2]!.slice(4) })
    const all = await press(gateway, described, 'Imagine all')
    expect(all.properties['tasks']).toHaveLength(4)
    const retried = await pressed(gateway, described, 'Picread::Retry')
    expect(retried.action).toBe('DESCRIBE')
    expect(retried.prompt).not.toBe(described.prompt)
  })

  it('blends images', async () => {
    await using gateway = await open()
    const [rings, stripes] = [dataUrl('rings.png'), dataUrl('sea.jpeg')]
    const blended = await drawn(gateway, 'submit/blend', {
      base64Array: [rings, stripes],
      dimensions: 'PORTRAIT',
    })
    expect(blended).toMatchObject({ action: 'BLEND', status: 'SUCCESS' })
    expect(blended.buttons).toHaveLength(9)
  })

  it('uploads images whose URLs can be named in a prompt', async () => {
    await using gateway = await open()
    const { result } = await draw(gateway, 'submit/upload-discord-images', {
      base64Array: [dataUrl('rings.png')],
    })
    const [address] = result as unknown as string[]
    expect(address).toMatch(/\/mj\/uploaded\/[0-9a-f]{64}\.jpg$/)
    const picture = await gateway.call(address!.slice(gateway.url.length))
    expect(picture.headers.get('content-type')).toBe('image/jpeg')
    // Its bytes are a client's: no browser may take them for a page.
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await drawn(gateway, 'submit/imagine', { prompt: `${address} a red fox` })).toMatchObject({
      status: 'SUCCESS',
    })
    expect(gateway.sim.tasks()[0]!.request).toMatchObject({
      pictures: [
        {
          drawing: {
            base: { images: [{ digest: expect.stringMatching(/^[0-9a-f]{64}$/) }], prompt: 'a red fox' },
          },
        },
      ],
    })
  })

  it('draws in the mode of the path, which sets the pace', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const took = async (path: string): Promise<number> => {
      const { result } = await draw(gateway, path, { prompt: 'a red fox' })
      const { timeline, submittedAt } = gateway.sim.task(result)
      return timeline.at(-1)!.from - submittedAt
    }
    const [turbo, fast, relax] = [
      await took('/mj-turbo/mj/submit/imagine'),
      await took('/mj/submit/imagine'),
      await took('/mj-relax/submit/imagine'),
    ]
    expect(turbo).toBeLessThan(fast!)
    expect(fast).toBeLessThan(relax!)
    expect((await postDrawing(gateway, '/vip/mj/submit/imagine', { prompt: 'x' })).status).toBe(200)
  })

  it('fails a task whose flags the channel does not take', async () => {
    await using gateway = await open()
    const unknown = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox --wobble 3' })
    expect(unknown).toMatchObject({
      status: 'FAILURE',
      failReason: '[Invalid parameter] Unrecognized argument(s): --wobble',
    })
    const malformed = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox --ar wide' })
    expect(malformed.failReason).toBe('[Invalid parameter] Invalid value provided for argument --ar: "wide"')
    expect(malformed).toMatchObject({ imageUrl: '', buttons: null, progress: '100%' })
  })

  it('lists tasks by id, without unknown ones', async () => {
    await using gateway = await open()
    const one = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const video = await submitVideo(gateway)
    const response = await postDrawing(gateway, 'task/list-by-condition', {
      ids: [Number(one.id), '12', video],
    })
    expect(await response.json()).toEqual([one])
    expect(await (await postDrawing(gateway, 'task/list-by-condition', {})).json()).toEqual([])
  })

  it('serves images without a key', async () => {
    await using gateway = await open()
    const { id } = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { authorization }] as Record<
      string,
      string
    >[]) {
      const picture = await gateway.call(`/mj/image/${id}`, { headers })
      expect(picture.status).toBe(200)
      expect(picture.headers.get('content-type')).toBe('image/png')
    }
    const unknown = await gateway.call('/mj/image/1234567890123456')
    expect([unknown.status, await unknown.json()]).toEqual([400, { error: 'midjourney_task_not_found' }])
  })

  it('separates the drawings of namespaces', async () => {
    await using gateway = await open()
    const own = { authorization: 'Bearer sk-sim-one' }
    const response = await postDrawing(gateway, 'submit/imagine', { prompt: 'a red fox' }, own)
    const { result } = (await response.json()) as { result: string }
    const seen = await gateway.call(`/mj/task/${result}/fetch`, {
      headers: { authorization: 'Bearer sk-sim-two' },
    })
    expect([seen.status, await seen.json()]).toEqual([
      400,
      { code: 4, description: 'task_no_found ', type: 'upstream_error' },
    ])
  })

  it('limits a key to the models that it may use', async () => {
    await using gateway = await open({ keys: [{ key: 'sk-test', models: ['mj_imagine'] }] })
    const { id } = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const upscale = await postDrawing(gateway, 'submit/change', { taskId: id, action: 'UPSCALE', index: 1 })
    expect(upscale.status).toBe(403)
    expect(await upscale.text()).toContain('mj_upscale')
  })

  it('is ruled and journalled by its own operations', async () => {
    await using gateway = await open({
      rules: [
        {
          id: 'no-second',
          match: { op: 'mj.imagine' },
          on: 2,
          task: { outcome: 'failure', reason: 'banned' },
        },
      ],
    })
    await drawn(gateway, 'submit/imagine', { prompt: 'one' })
    expect(await drawn(gateway, 'submit/imagine', { prompt: 'two' })).toMatchObject({
      status: 'FAILURE',
      failReason: 'banned',
    })
    expect(
      gateway.sim
        .journal({ operation: 'mj.imagine' })
        .map(({ model, prompt, rules, transport: by }) => [model, prompt, rules, by]),
    ).toEqual([
      ['mj_imagine', 'one', [], transport],
      ['mj_imagine', 'two', ['no-second'], transport],
    ])
  })

  it('refuses the buttons that start an animation, as the gateway does', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' }),
      'U1',
    )
    const { customId } = buttonOf(single, 'Animate (High motion)')
    const response = await postDrawing(gateway, 'submit/action', { taskId: single.id, customId })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`unknown_action:${customId}`)
  })

  it('returns text without a media type of its own in the profile of the gateway', async () => {
    await using gateway = await open({ profile: 'upstream' })
    const accepted = await postDrawing(gateway, 'submit/imagine', { prompt: 'a red fox' })
    expect(accepted.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  it('moves time when drawings are polled by list, too', async () => {
    await using gateway = await open()
    const { result } = await draw(gateway, 'submit/imagine', { prompt: 'a red fox' })
    for (let polls = 0; polls < 20; polls++)
      await postDrawing(gateway, 'task/list-by-condition', { ids: [result] })
    expect(await fetchDrawing(gateway, result)).toMatchObject({ status: 'SUCCESS' })
  })

  it('obeys directives and flags in the answer to a dialog', async () => {
    await using gateway = await open()
    const single = await pressed(gateway, await drawn(gateway, 'submit/imagine', { prompt: 'a fox' }), 'U1')
    const answer = async (prompt: string): Promise<string> => {
      const { result } = await press(gateway, single, 'Custom Zoom')
      expect(await draw(gateway, 'submit/modal', { taskId: result, prompt })).toMatchObject({ code: 1 })
      return result
    }
    expect(await finished(gateway, await answer('[[fail: no]] a fox'))).toMatchObject({
      status: 'FAILURE',
      failReason: 'no',
    })
    const seeded = await answer('a fox --seed 9 --zoom 1.5')
    await finished(gateway, seeded)
    expect(gateway.sim.task(seeded).request).toMatchObject({
      seed: '9',
      prompt: 'a fox --seed 9 --zoom 1.5',
      pictures: [{ drawing: { edits: [{ do: 'upscale' }, { do: 'zoom', factor: 1.5, seed: 9 }] } }],
    })
  })

  it('draws an image again as the answer to a remixed reroll says', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a fox --ar 2:1' })
    const { result } = await press(gateway, grid, '🔄', { enableRemix: true })
    await draw(gateway, 'submit/modal', { taskId: result, prompt: 'a cat --ar 1:2 --no birds' })
    expect(gateway.sim.task(result).request).toMatchObject({
      pictures: [
        {
          drawing: { base: { prompt: 'a cat', without: ['birds'], width: 728, height: 1448 }, edits: [] },
        },
      ],
    })
  })

  it('gives ids and draws that depend on neither mode nor state of other requests', async () => {
    const idsOf = async (paths: string[]): Promise<string[]> => {
      await using gateway = await open({ clock: { mode: 'manual' } })
      const ids: [string, string][] = []
      for (const path of paths) ids.push([path, (await draw(gateway, path, { prompt: 'x' })).result])
      return ids.toSorted().map(([, id]) => id)
    }
    const paths = ['/mj/submit/imagine', '/mj-turbo/submit/imagine']
    expect(await idsOf(paths)).toEqual(await idsOf(paths.toReversed()))
  })

  it('refuses to answer a dialog without a prompt where there was none before', async () => {
    await using gateway = await open()
    const pictures = [dataUrl('rings.png'), dataUrl('sea.jpeg')]
    const blended = await drawn(gateway, 'submit/blend', { base64Array: pictures })
    const { result } = await press(gateway, await pressed(gateway, blended, 'U1'), 'Vary (Region)')
    expect(await draw(gateway, 'submit/modal', { taskId: result })).toMatchObject({
      code: 4,
      description: 'prompt不能为空',
    })
    expect(await draw(gateway, 'submit/modal', { taskId: result, prompt: 'a hat' })).toMatchObject({
      code: 1,
    })
  })

  it('knows no upload that does not exist', async () => {
    await using gateway = await open()
    const response = await gateway.call(`/mj/uploaded/${'0'.repeat(64)}.jpg`)
    expect([response.status, await response.json()]).toEqual([400, { error: 'midjourney_task_not_found' }])
  })

  it('serves an image to the key of another namespace, since keys are ignored there', async () => {
    await using gateway = await open()
    const { id } = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox' })
    const headers = { authorization: 'Bearer sk-sim-other' }
    expect((await gateway.call(`/mj/image/${id}`, { headers })).status).toBe(200)
  })

  it('has states that wait also in a lifecycle of the user', async () => {
    const { MODAL: _, ...states } = lifecycle.states
    await expect(
      open({ drawing: { lifecycle: { initial: 'NOT_START', states, unsafe: true } } }),
    ).rejects.toThrow(/MODAL must wait for the client/)
  })
})

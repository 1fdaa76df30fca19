import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RuleMatch } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import { authorization, postVideo, submitVideo } from '../support/video.ts'

const png = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

describeTransports((open) => {
  it.each<[NonNullable<RuleMatch['form']>, boolean]>([
    [{ duration: 1 }, true],
    [{ duration: '1', prompt: { contains: 'kite' } }, true],
    [{ duration: { in: [1, 2] } }, true],
    [{ duration: { not: { equals: 1 } } }, false],
    [{ duration: 2 }, false],
    [{ image: { glob: 'data:image/png*' } }, true],
    [{ mask: { exists: false } }, true],
    [{ constructor: { exists: true } }, false],
  ])('matches multipart forms by %j: %j', async (fields, fits) => {
    await using transport = await open({
      rules: [{ match: { op: 'video.submit', form: fields }, respond: { status: 409 } }],
    })
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'video-1', prompt: 'a kite', duration: '1' }))
      form.set(name, value)
    form.set('image', new Blob([png], { type: 'image/png' }), 'kite.png')
    const post = (body: BodyInit): Promise<Response> =>
      transport.call('/v1/video/generations', { method: 'POST', headers: { authorization }, body })
    expect((await post(form)).status === 409).toBe(fits)
    if ('image' in fields) return
    form.delete('image')
    const encoded = new URLSearchParams([...form] as [string, string][])
    expect((await post(encoded)).status === 409).toBe(fits)
  })

  it('never matches JSON as a form', async () => {
    await using transport = await open({
      rules: [{ match: { op: 'video.submit', form: { mask: { exists: false } } }, respond: { status: 409 } }],
    })
    expect((await postVideo(transport, { prompt: 'a kite' })).status).toBe(200)
  })

  it('counts by variables, in a namespace of its own each', async () => {
    await using transport = await open({
      rules: [
        {
          match: { op: 'video.submit' },
          when: { vars: { refusals: { max: 2 } } },
          set: { refusals: { add: 1 } },
          respond: { status: 503, headers: { 'x-so-far': '${vars.refusals}' } },
        },
      ],
    })
    const statuses = async (headers: Record<string, string>): Promise<string[]> => {
      const list: string[] = []
      for (let index = 0; index < 5; index++) {
        const { status, headers: got } = await postVideo(transport, { prompt: 'a kite' }, headers)
        list.push(`${status} ${got.get('x-so-far') ?? ''}`.trim())
      }
      return list
    }
    const expected = ['503 1', '503 2', '503 3', '200', '200']
    expect(await statuses({})).toEqual(expected)
    expect(await statuses({ authorization: 'Bearer sk-sim-other' })).toEqual(expected)
  })

  it('bounds a variable from below, and counts down', async () => {
    await using transport = await open({
      rules: [
        { match: { op: 'video.submit' }, set: { left: { add: -1.5 } }, continue: true },
        { match: { op: 'video.submit' }, when: { vars: { left: { min: -1 } } }, respond: { status: 503 } },
      ],
    })
    const { status } = await postVideo(transport, { prompt: 'a kite' })
    expect([status, (await postVideo(transport, { prompt: 'a kite' })).status]).toEqual([503, 200])
    await submitVideo(transport)
  })
})

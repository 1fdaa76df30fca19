import { expect, it } from 'vitest'
import { describeTransports } from '../support/transports.ts'
import { ask, postChat, postJson, postNative, say } from '../support/text.ts'

const typos: readonly [string, string, object, string][] = [
  ['/v1/video/generations', 'a kite [[fial: x]]', {}, 'Did you mean [[fail]]?'],
  ['/v1/video/generations', 'a kite [[stuk]]', {}, 'Did you mean [[stuck]]?'],
  ['/v1/video/generations', 'a kite [[Delay 5s]]', {}, 'Did you mean [[render]]?'],
  ['/v1/video/generations', 'a kite [[failed]]', {}, 'Did you mean [[fail]]?'],
  ['/v1/videos', 'a kite [[ rendr 5s ]]', {}, 'Did you mean [[render]]?'],
  ['/mj/submit/imagine', 'a fox [[quued 5s]]', {}, 'Did you mean [[queued]]?'],
  ['/mj/submit/imagine', 'a fox [[cdoe 23]]', {}, 'Did you mean [[code]]?'],
]

describeTransports((open) => {
  it.each(typos)('answers %s of "%s" with a hint and warns once', async (path, prompt, more, guess) => {
    const warnings: string[] = []
    await using gateway = await open({ onWarning: (message) => warnings.push(message) })
    for (let time = 0; time < 2; time++) {
      const response = await postJson(gateway, path, { model: 'video-1', prompt, ...more })
      expect(response.status).toBe(200)
      const [written] = /\[\[.*\]\]/.exec(prompt)!
      const hint = response.headers.get('x-greenroom-hint')
      expect(hint).toContain(
        `The directive ${written} has no effect here. ${guess} Known are [[fail]], [[stuck]]`,
      )
      await response.arrayBuffer()
      expect(warnings).toEqual([expect.stringContaining(hint!)])
    }
  })

  it('hints at a wrong directive of a text, plain and streamed, in both dialects', async () => {
    const warnings: string[] = []
    await using gateway = await open({ onWarning: (message) => warnings.push(message) })
    const prompt = 'hello [[eror 503]]'
    const answers = [
      await postChat(gateway, ask(prompt)),
      await postChat(gateway, { ...ask(prompt), stream: true }),
      await postNative(gateway, 'generateContent', say(prompt)),
      await postNative(gateway, 'streamGenerateContent', say(prompt)),
    ]
    for (const answer of answers) {
      expect(answer.headers.get('x-greenroom-hint')).toContain('Did you mean [[error]]?')
      await answer.arrayBuffer()
    }
    expect(warnings).toHaveLength(3)
    const task = await postChat(gateway, ask('hello [[render 5s]]'))
    expect(task.headers.get('x-greenroom-hint')).toBe(
      'The directive [[render 5s]] has no effect here. Known are [[block]], [[stop]], [[tokens]], [[say]], [[think]], [[error]], [[cut]].',
    )
  })

  it('says nothing of other double brackets, of directives that work, and where none are obeyed', async () => {
    const warnings: string[] = []
    const onWarning = (message: string): void => void warnings.push(message)
    const prompts = [
      '[[fail: x]] a',
      '[[RENDER 2s]] [[queued 1s]] a',
      'a [[wiki link]] [[2]] [[cat]]',
      'a [fial] [[',
    ]
    await using gateway = await open({ onWarning })
    await using plain = await open({ onWarning, promptDirectives: false })
    const responses = prompts.map((prompt) =>
      postJson(gateway, '/v1/video/generations', { model: 'video-1', prompt }),
    )
    responses.push(postJson(plain, '/v1/video/generations', { model: 'video-1', prompt: 'a [[fial: x]]' }))
    for (const response of await Promise.all(responses)) {
      expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([200, null])
    }
    expect(warnings).toEqual([])
  })
})

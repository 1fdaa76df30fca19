import { expect, it } from 'vitest'
import { describeTransports } from '../support/transports.ts'
import { ask, postChat, postJson, postNative, say, textModel } from '../support/text.ts'
import { needs } from '../support/needs.ts'

const typos: readonly [string, string, object, string][] = [
  ['/v1/video/generations', 'a kite [[fial: x]]', {}, 'Did you mean [[fail]]?'],
  ['/v1/video/generations', 'a kite [[stuk]]', {}, 'Did you mean [[stuck]]?'],
  ['/v1/video/generations', 'a kite [[Delay 5s]]', {}, 'Did you mean [[render]]?'],
  ['/v1/video/generations', 'a kite [[failed]]', {}, 'Did you mean [[fail]]?'],
  ['/v1/videos', 'a kite [[ rendr 5s ]]', {}, 'Did you mean [[render]]?'],
  ['/mj/submit/imagine', 'a fox [[quued 5s]]', {}, 'Did you mean [[queued]]?'],
  ['/mj/submit/imagine', 'a fox [[cdoe 23]]', {}, 'Did you mean [[code]]?'],
]

const errorUsage =
  '[[error 503]], [[error 429: busy]] or [[error 503 after 5]], with a status from 400 to 599'
const blockUsage = 'safety, other, blocklist, prohibited_content'
const unreadable: readonly [string, string][] = [
  ['[[error 999]]', `its value can't be read. Write ${errorUsage}.`],
  ['[[error abc]]', `its value can't be read. Write ${errorUsage}.`],
  ['[[error 503 busy]]', `its value can't be read. Write ${errorUsage}.`],
  ['[[cut 5]]', "its value can't be read. Write [[cut]], or [[cut after 5]] with a number of tokens."],
  ['[[cut 500]]', "its value can't be read. Write [[cut]], or [[cut after 5]] with a number of tokens."],
  ['[[tokens abc]]', "its value can't be read. Write [[tokens 200]], with a whole number from 1."],
  ['[[ Tokens: ]]', 'it needs a value. Write [[tokens 200]], with a whole number from 1.'],
  ['[[block me]]', `its value can't be read. Write [[block]], or [[block REASON]] with ${blockUsage}.`],
  [
    '[[stop nonsense]]',
    `its value can't be read. Write [[stop]], or [[stop REASON]] with ${blockUsage}, recitation, language, spii.`,
  ],
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
    needs('chat.complete', 'text.generate')
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

  it.each(unreadable)(
    'answers a text with %s as ever, with a hint and one warning',
    async (written, advice) => {
      needs('chat.complete', 'text.generate', 'responses.create')
      const warnings: string[] = []
      await using gateway = await open({ onWarning: (message) => warnings.push(message) })
      const prompt = `hello ${written}`
      const answers = [
        await postChat(gateway, ask(prompt)),
        await postChat(gateway, { ...ask(prompt), stream: true }),
        await postNative(gateway, 'generateContent', say(prompt)),
        await postJson(gateway, '/v1/responses', { model: textModel, input: prompt }),
      ]
      const hint = `The directive ${written} has no effect: ${advice}`
      for (const answer of answers) {
        expect([answer.status, answer.headers.get('x-greenroom-hint')]).toEqual([200, hint])
        await answer.arrayBuffer()
      }
      expect(warnings).toEqual([
        `chat.complete: ${hint}`,
        `text.generate: ${hint}`,
        `responses.create: ${hint}`,
      ])
    },
  )

  it.each([
    ['/v1/video/generations', 'a kite [[fail: see [1]]]', '[[fail: see '],
    ['/v1/video/generations', 'a kite [[stuck]', '[[stuck'],
    ['/mj/submit/imagine', 'a fox [[queued 5s', '[[queued 5s'],
    ['/mj/submit/imagine', 'a fox [[fail: no end', '[[fail: no end'],
    ['/v1/video/generations', `[[fial: ${'x'.repeat(10_000)}]]`, `[[fial: ${'x'.repeat(52)}...`],
  ])('answers %s of "%s" with a hint at the brackets', async (path, prompt, written) => {
    await using gateway = await open()
    const response = await postJson(gateway, path, { model: 'video-1', prompt })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-greenroom-hint')).toContain(`The directive ${written} has no effect`)
  })

  it.each(['[[code]]', '[[code: abc]]', '[[code:23]]', '[[code 1234]]'])(
    'draws a prompt with %s, with a hint',
    async (written) => {
      await using gateway = await open()
      const response = await postJson(gateway, '/mj/submit/imagine', { prompt: `a fox ${written}` })
      const why = written === '[[code]]' ? 'it needs a value' : "its value can't be read"
      expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([
        200,
        `The directive ${written} has no effect: ${why}. Write [[code 23]], with 3, 4, 5, 9, 23, 24 or 30.`,
      ])
    },
  )

  it('says nothing of other double brackets, of directives that work, and where none are obeyed', async () => {
    const warnings: string[] = []
    const onWarning = (message: string): void => void warnings.push(message)
    const prompts = [
      '[[fail: x]] a',
      '[[RENDER 2s]] [[queued 1s]] a',
      'a [[wiki link]] [[2]] [[cat]]',
      'a [fial] [[',
      'a [[queued forever]]',
    ]
    await using gateway = await open({ onWarning })
    await using plain = await open({ onWarning, promptDirectives: false })
    const texts = ['[[say: hi]] [[stop spii]] [[think]]', '[[block]] a [[tokens 5]]', '[[cut after 9]]']
    for (const prompt of texts)
      expect((await postChat(gateway, ask(prompt))).headers.get('x-greenroom-hint')).toBeNull()
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

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxRememberedBodies } from '../../src/gateway/asked.ts'
import { Memory } from '../../src/engine/remembered.ts'
import { createSimulator, type EmbeddedSimulator, type Rule } from '../../src/index.ts'

const say = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] })
const contents = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] })

const calls: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', say('Count. [[say: one two three]]')],
  ['/v1/chat/completions', say('Tell me of boats.')],
  ['/v1/chat/completions', { ...say('Hi [[say: ✓ ü]] [[think]]'), stream: true }],
  ['/v1/chat/completions', { ...say('Count. [[say: one two three]]'), stream: true, n: 2 }],
  ['/v1/chat/completions', { ...say('Go on [[say: and on and on]] [[error 503 after 2]]'), stream: true }],
  ['/v1/chat/completions', { ...say('Cut [[say: one two]] [[cut]]') }],
  ['/v1/chat/completions', { ...say('Odds [[say: one two]]'), logprobs: true, top_logprobs: 2 }],
  ['/v1/chat/completions', { ...say('Short [[say: one two three]]'), max_tokens: 2 }],
  ['/v1/chat/completions', { model: 'm' }],
  ['/v1/chat/completions', { ...say('a fixed one'), stream: true }],
  ['/ns/other/v1/chat/completions', say('Count. [[say: one two three]]')],
  ['/v1beta/models/m:generateContent', contents('Count. [[say: one two three]]')],
  ['/v1beta/models/n:generateContent', contents('Count. [[say: one two three]]')],
  ['/v1beta/models/m:generateContent', contents('[[block]]')],
  ['/v1beta/models/m:streamGenerateContent?alt=sse', contents('Count. [[say: one two three]]')],
  ['/v1beta/models/m:streamGenerateContent', contents('[[say: one]] [[think]]')],
  ['/v1beta/models/m:countTokens', contents('How long is this?')],
  ['/v1beta/models/m:embedContent', { content: { parts: [{ text: 'this' }] } }],
  ['/v1/video/generations', { model: 'video-1', prompt: 'a kite', seconds: 4 }],
  ['/v1/video/generations', { model: 'video-1', prompt: 'a kite', image: 'https://images.test/1.png' }],
  ['/v1/video/generations', { model: 'video-1' }],
  ['/mj/submit/imagine', { prompt: 'a kite', state: 'mine' }],
  ['/mj-fast/mj/submit/imagine', { prompt: 'a kite', state: 'mine' }],
  ['/mj/task/list-by-condition', { ids: ['1'] }],
]

const rules: Rule[] = [
  { match: { op: 'chat.complete', prompt: '*boats*' }, on: 3, respond: { status: 503 } },
  { match: { op: 'chat.complete', prompt: '*Count*' }, every: 4, stream: { text: 'in other words' } },
  { match: { op: 'text.generate' }, every: 3, stream: { finishReason: 'SAFETY' } },
]

function open(): EmbeddedSimulator {
  const text = { timing: 'instant', answers: [{ prompt: 'a fixed*', text: 'As it was written.' }] } as const
  return createSimulator({ cacheDir: false, rules, text, clock: { mode: 'manual', start: '2030-01-01' } })
}

async function answerOf(sim: EmbeddedSimulator, path: string, body: string): Promise<unknown> {
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const answer = await sim.fetch(path, { method: 'POST', headers, body })
  const text = await answer.text().catch(() => 'broken off')
  return { status: answer.status, headers: [...answer.headers], text }
}

it('answers what it remembers as it answers what it reads anew', async () => {
  const sequence = fc.array(fc.nat(calls.length - 1), { minLength: 20, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sequence, async (places) => {
      await using remembering = open()
      await using forgetting = open()
      for (const [index, place] of places.entries()) {
        const [path, body] = calls[place]!
        const text = JSON.stringify(body)
        // Blanks mean nothing, but make a body that never came before.
        const different = `${' '.repeat(index)}${text}`
        expect(await answerOf(remembering, path, text)).toEqual(await answerOf(forgetting, path, different))
      }
    }),
    { numRuns: 20 },
  )
})

it('answers as ever when more is asked than it remembers', async () => {
  await using sim = open()
  const many = Array.from({ length: maxRememberedBodies + 5 }, (_, index) => `number ${index}`)
  for (const said of [...many.flatMap((each) => [each, each]), ...many.slice(0, 3)]) {
    const body = JSON.stringify(say(`[[say: ${said}]]`))
    const { text } = (await answerOf(sim, '/v1/chat/completions', body)) as { text: string }
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: said } }] })
  }
})

it('begins anew when it knows as much as it may', () => {
  const memory = new Memory<number>(2)
  for (const [index, text] of ['one', 'two', 'three'].entries()) memory.keep(text, index)
  expect(['one', 'two', 'three'].map((text) => memory.get(text))).toEqual([undefined, undefined, 2])
})

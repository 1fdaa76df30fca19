import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import type { StreamShape } from '../../../src/index.ts'
import {
  postResponse,
  respond,
  responseEvents,
  weatherTool,
  type OutputItem,
  type ResponseEvent,
} from '../../support/responses.ts'

const fields = fc.record(
  {
    input: fc.constantFrom(
      'Why do kites fly?',
      'What is the weather in Oslo?',
      '',
      '[[think]] why?',
      '[[block]]',
    ),
    tools: fc.constantFrom([], [weatherTool], [weatherTool, { ...weatherTool, name: 'get_time' }]),
    tool_choice: fc.constantFrom('auto', 'none'),
    reasoning: fc.constantFrom({ effort: 'low' }, { effort: 'medium', summary: 'auto' }),
    max_output_tokens: fc.integer({ min: 16, max: 90 }),
    include: fc.constant(['message.output_text.logprobs']),
    store: fc.boolean(),
  },
  { requiredKeys: ['input'] },
)

/** Puts the items together from their pieces, as a client does that shows them as they come. */
function assemble(events: readonly ResponseEvent[]): string[] {
  const pieces = new Map<string, string>()
  for (const { type, item, item_id, delta } of events) {
    if (type === 'response.output_item.added') pieces.set(item!.id, '')
    if (type.endsWith('.delta')) pieces.set(item_id!, pieces.get(item_id!)! + delta!)
  }
  return [...pieces.values()]
}

function contentOf({ content, summary, arguments: args = '' }: OutputItem): string {
  return [...(content ?? []), ...(summary ?? [])].map(({ text }) => text).join('') + args
}

it('streams pieces that make up the response that it gives whole', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const transport = { call: sim.fetch }
  await fc.assert(
    fc.asyncProperty(fields, async (body) => {
      const whole = await respond(transport, body)
      const response = await postResponse(transport, { ...body, stream: true })
      if (response.status !== 200) {
        expect([response.status, body.input]).toEqual([400, '[[block]]'])
        return
      }
      const events = responseEvents(await response.text())
      const { output, status, usage } = events.at(-1)!.response!
      expect(events.at(-1)!.type).toBe(`response.${whole.status}`)
      expect([output.map(contentOf), status, usage]).toEqual([
        whole.output.map(contentOf),
        whole.status,
        whole.usage,
      ])
      expect(assemble(events)).toEqual(output.map(contentOf))
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
      // Every item that begins ends, before the next one begins.
      const bounds = events.filter(({ type }) => /output_item\.(?:added|done)$/.test(type))
      expect(bounds.map(({ output_index }) => output_index)).toEqual(output.flatMap((_, at) => [at, at]))
      expect(bounds.filter(({ type }) => type.endsWith('done')).map(({ item }) => item)).toEqual(output)
    }),
    { numRuns: 80 },
  )
})

const afterChunk = fc.nat({ max: 12 })
const shape: fc.Arbitrary<StreamShape> = fc.oneof(
  fc.record({ cut: fc.record({ afterChunk }) }),
  fc.record({ error: fc.record({ afterChunk, status: fc.constantFrom(429, 500, 503) }) }),
  fc.record({ stall: fc.record({ afterChunk, for: fc.constant('5s') }) }),
)

it('numbers its events upwards and ends in one of three ways, whatever a rule does to the stream', async () => {
  await fc.assert(
    fc.asyncProperty(fields, shape, async (body, stream) => {
      await using sim = createSimulator({
        rules: [{ match: { op: 'responses.*' }, stream }],
        cacheDir: false,
      })
      const response = await postResponse({ call: sim.fetch }, { ...body, stream: true })
      if (response.status !== 200) return
      let text = ''
      try {
        for await (const bytes of response.body!) text += new TextDecoder().decode(bytes)
      } catch {
        // A cut ends the connection.
      }
      const events = responseEvents(text)
      const numbers = events.map(({ sequence_number }) => sequence_number)
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
      expect(new Set(numbers).size).toBe(numbers.length)
      const end = stream.cut ?? stream.error
      const hasChunks = typeof end !== 'object' || end.afterChunk !== 0
      if (hasChunks) expect(numbers).toEqual([...numbers.keys()])
      const ended = sim.journal().at(-1)!.stream!.ended
      const last = events.at(-1)!.type
      if (ended === 'error') expect(last).toBe('response.failed')
      else if (ended === 'finished') expect(last).toMatch(/^response\.(?:completed|incomplete)$/)
      else expect(last).not.toMatch(/^(?:error|response\.(?:completed|incomplete))$/)
    }),
    { numRuns: 60 },
  )
})

const anything = fc.jsonValue({ maxDepth: 4 })

it('answers or refuses any request, and never breaks', async () => {
  const warnings: string[] = []
  await using sim = createSimulator({ cacheDir: false, onWarning: (message) => warnings.push(message) })
  const part = fc.record({ type: fc.constantFrom('input_text', 'input_image', 'refusal', 'x'), text: anything, image_url: anything }, { requiredKeys: [] }) // prettier-ignore
  const item = fc.record(
    {
      type: fc.constantFrom(
        'message',
        'function_call',
        'function_call_output',
        'item_reference',
        'reasoning',
      ),
      role: fc.constantFrom('user', 'assistant', 'system', 'robot'),
      content: fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }), anything),
      id: anything,
      call_id: fc.constantFrom('a', 'b', 5),
      name: anything,
      arguments: fc.constantFrom('{}', '{', 5),
      output: anything,
    },
    { requiredKeys: [] },
  )
  const body = fc.record(
    {
      input: fc.oneof(fc.string(), fc.array(item, { maxLength: 5 }), anything),
      instructions: anything,
      text: anything,
      tools: fc.oneof(fc.array(anything, { maxLength: 3 }), anything),
      tool_choice: anything,
      reasoning: anything,
      previous_response_id: fc.oneof(fc.string(), anything),
      stream: fc.boolean(),
      include: anything,
      metadata: anything,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(body, async (each) => {
      const response = await postResponse({ call: sim.fetch }, each)
      await response.text()
      expect([200, 400, 404]).toContain(response.status)
    }),
    { numRuns: 300 },
  )
  expect(warnings).toEqual([])
})

it('stores a bounded number of responses, and drops the oldest', async () => {
  const { StoredResponses, maxStored } = await import('../../../src/apis/text/store.ts')
  const { Changes } = await import('../../../src/engine/tasks/changes.ts')
  const responses = new StoredResponses(new Changes())
  const stored = { key: 'k', at: 0, completesAt: 0, previous: null, turns: [], input: [], response: {} }
  for (let made = 0; made <= maxStored; made++) responses.put('default', `resp_${made}`, stored)
  expect(responses.get('default', 'resp_0')).toBeUndefined()
  expect(responses.get('default', 'resp_1')).toBeDefined()
  const large = { ...stored, response: { text: 'x'.repeat(30_000_000) } }
  for (const id of ['resp_a', 'resp_b', 'resp_c']) responses.put('default', id, large)
  expect([...responses.all()]).toEqual([
    ['default', 'resp_b'],
    ['default', 'resp_c'],
  ])
})

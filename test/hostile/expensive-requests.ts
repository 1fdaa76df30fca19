import { manyParts } from './containers.ts'
import type { Sent } from './measured-server.ts'

const chat = '/v1/chat/completions'
const json = (value: unknown): string => JSON.stringify(value)
const chatBody = (text: string): object => ({
  model: 'sim-text-1',
  messages: [{ role: 'user', content: text }],
})
const many = <Item>(count: number, of: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => of(n))
const named = <Item>(count: number, of: (n: number) => Item, prefix = 'p'): Record<string, Item> =>
  Object.fromEntries(many(count, (n) => [`${prefix}${n}`, of(n)]))

/** A chat that asks for JSON by a schema. `n` tells one time from the next. */
const bySchema = (schema: unknown, n: number, more: object = {}): Sent => ({
  path: chat,
  body: json({
    ...chatBody(`Hello from Oslo ${n}`),
    ...more,
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
  }),
})

/** Nests a schema `levels` times. */
function nested(levels: number, leaf: unknown, wrap: (inner: unknown) => unknown): unknown {
  let schema = leaf
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

/** References that double at each level: 2 KB of text, and 2^levels ways through it. */
const lattice = (levels: number, leaf: object): object => ({
  $defs: named(
    levels + 1,
    (n) => (n === levels ? leaf : { anyOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] }),
    'l',
  ),
})

/** A form with a picture. */
const formOf = (n: number, picture: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nvideo-1\r\n` +
        `--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na kite ${n}\r\n` +
        '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n' +
        'Content-Type: image/png\r\n\r\n',
    ),
    picture,
    Buffer.from('\r\n--x--'),
  ])

/** Texts of scenarios. One that is too large by its bytes would be refused at once. */
const scenarios: Readonly<Record<string, string>> = {
  'a scenario of sixty thousand keys': many(60_000, (n) => `k${n}: 1`).join('\n'),
  'a scenario of eight thousand keys': many(8_000, (n) => `k${n}: 1`).join('\n'),
  'a scenario of commas': `[${','.repeat(900_000)}]`,
  'a scenario of broken quotes': `a: "${'x\n'.repeat(400_000)}"`,
  'a scenario of aliases of aliases': many(
    30,
    (n) => `x-${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1}, *a${n - 1}`}]`,
  ).join('\n'),
}

/** Requests that are as expensive as their makers could make them, each with a number that tells it from the one before. */
export const hostile: Readonly<Record<string, (n: number) => Sent>> = {
  'lattice and enum': (n) =>
    bySchema(
      {
        ...lattice(20, { type: 'integer' }),
        allOf: [{ $ref: '#/$defs/l0' }, { enum: many(20, (value) => `value ${value}`) }],
      },
      n,
    ),
  'nested oneOf of equals': (n) =>
    bySchema(
      nested(8, { type: 'string' }, (inner) => ({ oneOf: [inner, inner, inner] })),
      n,
    ),
  'fifty patterns': (n) =>
    bySchema(
      {
        type: 'object',
        properties: named(50, (p) => ({ type: 'string', pattern: `^(?:[a-z]{0,9}[0-9]{0,9}){0,8}${p}$` })),
        required: many(50, (p) => `p${p}`),
      },
      n,
      { n: 16 },
    ),
  'ten thousand parts': (n) =>
    bySchema(
      {
        type: 'object',
        properties: named(4_000, () => ({ type: 'string', description: 'x'.repeat(50) })),
        required: many(4_000, (p) => `p${p}`),
      },
      n,
      { n: 128 },
    ),
  'a long chain of references': (n) =>
    bySchema(
      {
        $ref: '#/$defs/l0',
        $defs: Object.fromEntries(
          many(60, (i) => [
            `l${i}`,
            i === 59 ? { type: 'string' } : { allOf: many(100, () => ({ $ref: `#/$defs/l${i + 1}` })) },
          ]),
        ),
      },
      n,
    ),
  'logprobs of sixteen': (n) => ({
    path: chat,
    body: json({ ...chatBody(`[[tokens 20000]] Why? ${n}`), n: 16, logprobs: true, top_logprobs: 20 }),
  }),
  'a hundred and twenty-eight answers': (n) => ({
    path: chat,
    body: json({ ...chatBody(`[[tokens 20000]] Tell a long story ${n}`), n: 128, stream: true }),
  }),
  '900k flags': (n) => ({ path: chat, body: json(chatBody(`🇳🇴`.repeat(900_000) + n)) }),
  '4 million letters': (n) => ({ path: chat, body: json(chatBody('word '.repeat(790_000) + n)) }),
  'tools with large schemas': (n) => ({
    path: chat,
    body: json({
      ...chatBody(`Weather in Oslo ${n}`),
      tool_choice: 'required',
      tools: many(128, (t) => ({
        type: 'function',
        function: {
          name: `weather_${t}`,
          description: 'weather '.repeat(200),
          parameters: { type: 'object', properties: named(100, () => ({ type: 'string' })) },
        },
      })),
    }),
  }),
  'tools with patterns': (n) => ({
    path: chat,
    body: json({
      ...chatBody(`Weather in Oslo ${n}`),
      tool_choice: 'required',
      tools: many(128, (t) => ({
        type: 'function',
        function: {
          name: `weather_${t}`,
          parameters: {
            type: 'object',
            properties: named(20, (p) => ({
              type: 'string',
              pattern: `^(?:[a-z]{0,9}[0-9]{0,9}){0,8}${t}${p}$`,
            })),
          },
        },
      })),
    }),
  }),
  '40k metadata keys': (n) => ({
    path: '/v1/video/generations',
    body: json({ model: 'video-1', prompt: `a kite ${n}`, metadata: named(40_000, () => 1, 'key') }),
  }),
  '90k fields': (n) => ({
    path: chat,
    body: json({ ...chatBody(`a kite ${n}`), ...named(90_000, () => 1) }),
  }),
  '2000 messages': (n) => ({
    path: chat,
    body: json({
      model: 'sim-text-1',
      messages: many(2_000, (i) => ({
        role: i % 2 ? 'assistant' : 'user',
        content: `${'word '.repeat(300)} ${n}`,
      })),
    }),
  }),
  'a form of escapes': (n) => ({
    path: '/v1/videos',
    type: 'application/x-www-form-urlencoded',
    body: `model=video-1&prompt=${n}&x=${'%41'.repeat(10_000_000)}`,
  }),
  'a multipart form of a large file': (n) => ({
    path: '/v1/videos',
    type: 'multipart/form-data; boundary=x',
    body: `--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${n}\r\n--x\r\nContent-Disposition: form-data; name="input_reference"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${'x'.repeat(30_000_000)}\r\n--x--`,
  }),
  '32 MB of JSON text': (n) => ({
    path: '/v1/video/generations',
    body: json({ model: 'video-1', prompt: `a kite ${n}`, x: 'x'.repeat(32_000_000) }),
  }),
  '32 MB of small escapes': (n) => ({
    path: '/v1/video/generations',
    body: `{"model":"video-1","prompt":"a kite ${n}","x":"${'\\n'.repeat(16_000_000)}"}`,
  }),
  'a picture of 20 MB': (n) => ({
    path: '/v1/video/generations',
    body: json({
      model: 'video-1',
      prompt: `a kite ${n}`,
      image: `data:image/png;base64,${'A'.repeat(27_000_000)}`,
    }),
  }),
  'sixteen pictures': (n) => ({
    path: '/v1/video/generations',
    body: json({
      model: 'video-1',
      prompt: `a kite ${n}`,
      images: many(16, (i) => `data:image/png;base64,${'A'.repeat(1_900_000)}${i + 10}`),
    }),
  }),
  ...Object.fromEntries(
    Object.entries(manyParts).map(([name, make]) => [
      name,
      (n: number): Sent => ({
        path: '/v1/video/generations',
        type: 'multipart/form-data; boundary=x',
        body: formOf(n, make()),
      }),
    ]),
  ),
  'a form of a thousand parts with long heads': (n) => ({
    path: '/v1/video/generations',
    type: 'multipart/form-data; boundary=x',
    body: many(
      1_000,
      (part) =>
        `--x\r\nContent-Disposition: form-data; name="p${part}${n}"; ${';a="b"'.repeat(1_300)}\r\n\r\n\r\n`,
    ).join(''),
  }),
  'a form of a thousand parts with many headers': (n) => ({
    path: '/v1/video/generations',
    type: 'multipart/form-data; boundary=x',
    body: many(
      1_000,
      (part) =>
        `--x\r\n${'a:\r\n'.repeat(2_000)}Content-Disposition: form-data; name="p${part}${n}"\r\n\r\n\r\n`,
    ).join(''),
  }),
  ...Object.fromEntries(
    Object.entries(scenarios).map(([name, body]) => [
      name,
      (): Sent => ({ path: '/_greenroom/scenario/check', type: 'text/plain', body }),
    ]),
  ),
}

import { expect, it } from 'vitest'
import { parseScenario } from '../../src/files/parse.ts'

it.each([
  [
    'a: b: c',
    '1:4: Nested mappings are not allowed in compact mappings. Put a text that contains ": " in quotes, and check the indentation.',
  ],
  ['a: 1\nno colon', '2:1: Implicit map keys need to be followed by map values.'],
  ['a:\n\tb: 1', '2:1: Tabs are not allowed as indentation. Use spaces.'],
  ['a: "x" y', '1:8: Unexpected scalar at node end.'],
  ['a: !x 1', '1:4: Unresolved tag: !x.'],
  ['a: !!foo b', '1:4: Unresolved tag: tag:yaml.org,2002:foo.'],
  ['a: ]', '1:4: Unexpected flow-seq-end token in YAML stream: "]".'],
  ['a: |x\n b', '1:5: Block scalar header includes extra characters: |x.'],
  ['a: @b', '1:4: Plain value cannot start with reserved character @.'],
  ['a: "\\z"', '1:5: Invalid escape sequence \\z.'],
  ['a: [1, 2', '1:9: Flow sequence in block collection must be sufficiently indented and end with a ].'],
  ['a: 1\n---\nb: 1', '2:1: a second document begins here. Put each scenario into a file of its own.'],
  ['{a: b}: c', '1:1: a mapping or a list is no key. Put text that begins with { or [ in quotes.'],
  ['a: 1\na: 2', '2:1: duplicate key. Keep one.'],
  ['a: { b: ${url}/v1 }', '1:9: braces have a meaning here. Put it in quotes: "${url}/v1".'],
  [
    'a: [{ b: ${runDir}/a.mp4 }]\nc: 1',
    '1:10: braces have a meaning here. Put it in quotes: "${runDir}/a.mp4".',
  ],
  ['a: *x', '1:4: no anchor is called "x" up to here. Write &x in front of the value that it stands for.'],
])('says what is wrong with the YAML %j', async (text, message) => {
  await expect(parseScenario(text, 'it.yaml')).rejects.toMatchObject({ message: `it.yaml:${message}` })
})

const tooMany = 'it.yaml:1:1: it has more than 60000 tokens, or very many of a rare kind. Split it.'

it.each([
  ['entries without a value', `a: [${','.repeat(1_100)}]`],
  ['entries without a value, with blanks', `a: [${', '.repeat(1_100)}]`],
  ['entries without a value, in lines', `a: [\n${' ,\n'.repeat(1_100)}]`],
  ['closing brackets', ']'.repeat(1_100)],
  ['anchors', 'a: &b 1\n'.repeat(1_100)],
  ['tags', 'a: !b 1\n'.repeat(1_100)],
  ['aliases', '- *b\n'.repeat(1_100)],
  ['documents', '---\n'.repeat(1_100)],
  ['tokens', `a: [${'1,'.repeat(30_001)}]`],
])('refuses very many %s', async (_what, text) => {
  await expect(parseScenario(text, 'it.yaml')).rejects.toMatchObject({ message: tooMany })
})

it('counts no entry with a value as one without', async () => {
  const text = `version: 1\nx-list: [${'1, '.repeat(2_000)}]\n`
  expect((await parseScenario(text, 'it.yaml')).scenario).toEqual({ version: 1 })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordsFlag, wrappedFlag, type Command, type Parsed } from '../../src/cli/terminal/command.ts'
import { parseAndExplain } from '../../src/cli/terminal/parse-and-explain.ts'
import { parseQuickly } from '../../src/cli/terminal/parse-quickly.ts'
import { render } from '../../src/cli/project/render.ts'
import { run } from '../../src/cli/run/run.ts'
import { serve } from '../../src/cli/serve/serve.ts'

const commands = [serve, run, render]

const byYargs = (words: readonly string[]) =>
  parseAndExplain(words, commands, {
    print: () => {},
    warn: () => {},
    interrupted: new Promise(() => {}),
    folder: '/',
    environment: {},
  }).catch(() => 'refused')

/** What commands look at: the flags they know, the words, and what they wrap. */
const told = ({ command, flags }: Parsed) =>
  [...Object.keys(command.options), wordsFlag, wrappedFlag].map((name) => [name, flags[name]])

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '-',
    '-x',
    '0x10',
    '1e3',
    'true',
    'false',
    '"x"',
    "it's",
    'a=b',
    '--',
    '--clok',
    '--help',
  ),
  fc.string({ maxLength: 5 }),
)

/** What is written for a flag, mostly as it should be. */
function flag([name, { type, choices }]: [string, Command['options'][string]]): fc.Arbitrary<string[]> {
  if (type === 'boolean') return fc.constantFrom([`--${name}`], [`--no-${name}`])
  const usual = choices
    ? fc.constantFrom(...choices.map(String))
    : fc.constantFrom('7', '-1', '007', '1.50', 'a', '@x y')
  const value = fc.oneof({ weight: 9, arbitrary: usual }, odd)
  return fc
    .tuple(value, fc.boolean())
    .map(([given, apart]) => (apart ? [`--${name}`, given] : [`--${name}=${given}`]))
}

it('reads a command line as yargs does, or leaves it to yargs', async () => {
  const line = fc.constantFrom(...commands).chain((command) => {
    const flags = fc.constantFrom(...Object.entries(command.options)).chain(flag)
    const word = fc.constantFrom('a.yaml', 'scenarios', '5')
    const one = fc.oneof(
      { weight: 9, arbitrary: flags },
      { weight: 3, arbitrary: fc.tuple(word) },
      fc.tuple(odd),
    )
    return fc.array(one, { maxLength: 5 }).map((words) => [command.name, ...words.flat()])
  })
  let readQuickly = 0
  await fc.assert(
    fc.asyncProperty(line, async (words) => {
      const quick = parseQuickly(words, commands)
      if (!quick) return
      readQuickly += 1
      const usual = await byYargs(words)
      expect(typeof usual === 'string' ? usual : told(usual)).toEqual(told(quick))
    }),
    { numRuns: 200 },
  )
  expect(readQuickly).toBeGreaterThan(20)
})

it.for([
  { line: 'serve --port 0 --quiet --no-cache --rate 600 --key a --key b' },
  { line: 'run scenarios/happy-video.yaml --seed 7 -- npm test' },
])('needs no more than Node for "$line"', ({ line }) => {
  expect(parseQuickly(line.split(' '), commands)).toBeDefined()
})

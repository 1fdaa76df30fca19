import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/terminal/command-line.ts'
import { commands } from '../../src/cli/terminal/commands.ts'
import { overviewExamples } from '../../src/cli/terminal/help.ts'
import { folderWith, run, runIn } from './run-in-folder.ts'

const names = commands.map(({ name }) => name)

it.each(['', ...names])('keeps the help of "%s" within 60 and 100 columns', async (name) => {
  for (const columns of [60, 100]) {
    const words = [...(name === '' ? [] : [name]), '--help']
    const { printed } = await runIn(folderWith({}), words, { environment: { COLUMNS: String(columns) } })
    expect(printed.split('\n').filter((line) => line.length > columns)).toEqual([])
    expect(printed).toMatch(/\nExamples?\n {2}# /)
  }
})

/** The words of a command line, without quotes. */
const splitWords = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => (quoted ?? plain)!)

it.each(names)('has examples of %s that parse', async (name) => {
  const { examples } = await commands.find((each) => each.name === name)!.load()
  expect([1, 2]).toContain(examples.length)
  for (const [line] of [...examples, ...overviewExamples]) {
    const own = line.replace(/^source <\((.*)\)$/, '$1').replace(/ > .*$/, '')
    const [program, ...words] = splitWords(own)
    expect(program).toBe('greenroom')
    expect(await parseCommandLine(words, { environment: {} })).toMatchObject({ input: expect.anything() })
  }
})

it('speaks with one voice: a verb first, and no full stop', async () => {
  for (const { summary, load } of commands) {
    const { options, examples } = await load()
    const flags = Object.values(options).filter(({ hidden }) => hidden !== true)
    const texts = [summary, ...flags.map(({ describe = '' }) => describe.replace(/ {2}\[default: .*\]$/, ''))]
    for (const text of texts) {
      expect(text).toMatch(/^[A-Z][a-z]+ /)
      expect(text).not.toMatch(/^(?:A|An|The|How|What|Whether|Which|If|For|[A-Z]\w+s) |\.$/)
    }
    for (const [, what] of examples) expect(what).toMatch(/^[a-z].*[^.]$/)
  }
})

it('is as wide as the terminal, 80 columns in a file, and 110 at most', async () => {
  const widest = async (columns: number | undefined): Promise<number> => {
    const screen = { fd: 1, hasColours: false, columns: () => columns }
    const { printed } = await runIn(folderWith({}), ['serve', '-h'], { screen })
    return Math.max(...printed.split('\n').map((line) => line.length))
  }
  expect(await widest(70)).toBeLessThanOrEqual(70)
  expect(await widest(undefined)).toBeGreaterThan(70)
  expect(await widest(undefined)).toBeLessThanOrEqual(80)
  expect(await widest(500)).toBeLessThanOrEqual(110)
  expect(await widest(500)).toBeGreaterThan(100)
})

it('is coloured on a terminal only', async () => {
  const screen = { fd: 1, hasColours: true, columns: () => 80 }
  const coloured = await runIn(folderWith({}), ['run', '--help'], { screen })
  const plain = await run(['run', '--help'])
  expect(coloured.printed).toContain('\u001b[36m--report\u001b[0m')
  expect(plain.printed).not.toContain('\u001b')
  expect(stripVTControlCharacters(coloured.printed)).toBe(plain.printed)
})

it('is the same by help and by --help', async () => {
  expect((await run(['help', 'run'])).printed).toBe((await run(['run', '--help'])).printed)
  expect((await run(['help'])).printed).toBe((await run([])).printed)
})

it.each([
  [['chekc'], 'There is no command "chekc". Did you mean "check"?'],
  [['start'], 'There is no command "start". Did you mean "serve"?'],
  [['dev'], 'Did you mean "serve"?'],
  [['server'], 'Did you mean "serve"?'],
  [['test', '--', 'npm', 'test'], 'Did you mean "run"?'],
  [['fuzz'], 'Did you mean "explore"?'],
  [['help', 'rnu'], 'There is no command "rnu". Did you mean "run"?'],
  [['--port', '1'], '"--port" comes before the command: write greenroom <command> --port.'],
  [['serve', 'lost-polls'], 'Unexpected argument "lost-polls": greenroom serve takes flags only.'],
  [['run', '--reprot', 'junit'], 'Unknown flag "--reprot". Did you mean "--report"?'],
  [['serve', '--clock', 'scald'], 'use one of "real", "scaled", "manual", "auto". Did you mean "scaled"?'],
])('says what is wrong with %j', async (words, message) => {
  const { code, warned } = await run(words)
  expect([code, warned]).toEqual([2, expect.stringContaining(message)])
})

it.each([
  [['chekc'], 'See npx greenroom --help.'],
  [['--port', '1'], 'write npx greenroom <command> --port.'],
  [['run'], 'See npx greenroom run --help.'],
  [['check'], 'See npx greenroom check --help.'],
  [['run', '--reprot', 'junit'], 'See npx greenroom run --help.'],
  [['serve', '--open=1'], 'See npx greenroom serve --help.'],
  [['serve', '--', 'x'], 'See npx greenroom serve --help.'],
  [['explain', '2', '--url', 'http://127.0.0.1:9'], 'Start npx greenroom serve'],
])('begins the command that a message about %j advises as npm started greenroom', async (words, message) => {
  const { warned } = await runIn(folderWith({}), words, { environment: { npm_command: 'exec' } })
  expect(warned).toContain(message)
})

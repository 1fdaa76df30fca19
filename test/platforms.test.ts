import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testCommand } from '../src/cli/project/first-test.ts'
import { readProject } from '../src/cli/project/project.ts'
import { signalProcesses } from '../src/cli/run/child.ts'
import { toPrefixes } from '../src/cli/run/explore/request.ts'
import { findDuplicateFile, readCommandVariables } from '../src/cli/run/run-flags.ts'
import { readConfig } from '../src/cli/serve/config-file.ts'
import { isSameName } from '../src/cli/serve/config-reload.ts'
import { formatError } from '../src/cli/terminal/command.ts'
import { toOpener } from '../src/cli/terminal/open-browser.ts'
import { setVariables, systemProgram, toProcessStart } from '../src/cli/terminal/windows-process.ts'
import { shortenTestPath } from '../src/embedded/reporters.ts'
import { parseRecording } from '../src/judge/recording/recording.ts'
import { defaultCacheFolder } from '../src/media/cache/disk-cache.ts'
import { makeFolder, replaceFile } from '../src/media/cache/write-files.ts'
import { loadScenario } from '../src/files/load.ts'
import { placeIn } from '../src/files/code/run-module.ts'
import { explainListenError } from '../src/server/server.ts'
import { lockFolder } from '../src/server/state/state-lock.ts'

const environment = {
  Path: 'C:\\Windows\\System32;"C:\\Program Files\\nodejs";.',
  SystemRoot: 'C:\\Windows',
  ComSpec: 'C:\\Windows\\System32\\cmd.exe',
}

/** Looks a command up in a Windows with these files. */
function startOnWindows(command: readonly string[], files: Readonly<Record<string, string>>) {
  const place = { folder: 'C:\\work', environment }
  return toProcessStart(command, place, 'win32', {
    isFile: (path) => path in files || path.toLowerCase() in files,
    readText: (path) => files[path] ?? files[path.toLowerCase()]!,
  })
}

const npm = 'c:\\program files\\nodejs\\npm.cmd'
const npmText = '@ECHO OFF\r\n"%NODE_EXE%" "%NPM_CLI_JS%" %*\r\n'

it('starts npm on Windows by cmd.exe, since it is a batch file', () => {
  const start = startOnWindows(['npm', 'test'], {
    [npm]: npmText,
    'c:\\program files\\nodejs\\npm': '#!/bin/sh',
  })
  expect(start).toEqual({
    program: 'C:\\Windows\\System32\\cmd.exe',
    words: ['/d', '/s', '/c', '"C:\\Program^ Files\\nodejs\\npm.CMD ^^^"test^^^""'],
    windowsVerbatimArguments: true,
  })
})

it('starts other programs of Windows directly', () => {
  const node = 'c:\\program files\\nodejs\\node.exe'
  expect(startOnWindows(['node', 'a b.js'], { [node]: '' })).toEqual({
    program: 'C:\\Program Files\\nodejs\\node.EXE',
    words: ['a b.js'],
    windowsVerbatimArguments: false,
  })
})

it('takes no program from the working folder of Windows unless the command has a path', () => {
  const files = { 'c:\\work\\npm.cmd': '', 'c:\\work\\bin\\client.cmd': '' }
  expect(startOnWindows(['npm'], files).program).toBe('npm')
  expect(startOnWindows(['bin/client'], files).words.at(-1)).toBe('"C:\\work\\bin\\client.CMD"')
})

it('leaves a command as it is on other systems', () => {
  const place = { folder: '/', environment: {} }
  expect(toProcessStart(['npm', 'a & b'], place, 'darwin')).toEqual({
    program: 'npm',
    words: ['a & b'],
    windowsVerbatimArguments: false,
  })
})

it('refuses an argument with a line break for a batch file', () => {
  expect(() => startOnWindows(['npm', 'a\nb'], { [npm]: npmText })).toThrow(/can't receive "a\\nb"/)
})

// Of cross-spawn 7.0.6, for a batch file that does not pass its arguments on.
it.each([
  ['a b', '^"a^ b^"'],
  ['a"b', '^"a\\^"b^"'],
  ['C:\\dir\\', '^"C:\\dir\\\\^"'],
  ['%PATH% & !x!', '^"^%PATH^%^ ^&^ ^!x^!^"'],
])('quotes %s for cmd.exe as cross-spawn does', (word, quoted) => {
  const { words } = startOnWindows(['npm', word], { [npm]: '@echo %1' })
  expect(words.at(-1)).toBe(`"C:\\Program^ Files\\nodejs\\npm.CMD ${quoted}"`)
})

/** What cmd.exe makes of a line: variables, then carets outside of quotes. Fails for an operator. */
function interpret(line: string, hasVariables: boolean): string {
  const expanded = hasVariables ? line.replace(/%(PATH|a)%/g, 'EXPANDED') : line
  let [result, isQuoted] = ['', false]
  for (let index = 0; index < expanded.length; index++) {
    const isEscaped = expanded[index] === '^' && !isQuoted
    const character = expanded[isEscaped ? ++index : index] ?? ''
    if (!isEscaped && character === '"') isQuoted = !isQuoted
    if (!isEscaped && !isQuoted && /[&|<>()]/.test(character)) throw new Error(`operator ${character}`)
    result += character
  }
  return result
}

/** What the C runtime of a program makes of one argument in quotes. */
function unquote(text: string): string {
  expect(text).toMatch(/^".*"$/s)
  return text
    .slice(1, -1)
    .replace(/(\\*)\\"/g, (_, slashes: string) => `${slashes.slice(0, slashes.length / 2)}"`)
    .replace(/(\\+)$/, (slashes) => slashes.slice(0, slashes.length / 2))
}

it('passes any argument through cmd.exe and a batch file unchanged, and runs no other command', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '^', '%', '&', '|', '<', '(', '!', '*', 'é') }),
    fc.constantFrom('%PATH%', '"&calc&"', '\\"', 'a\\\\"b', '^&', '%a%%a%'),
  )
  fc.assert(
    fc.property(word, (text) => {
      const { words } = startOnWindows(['npm', text], { [npm]: npmText })
      const line = words.at(-1)!.slice(1, -1).slice('C:\\Program^ Files\\nodejs\\npm.CMD '.length)
      // The batch file parses what %* became, without variables.
      expect(unquote(interpret(interpret(line, true), false))).toBe(text)
    }),
  )
})

it('replaces a variable of Windows whose name differs in case', () => {
  expect(setVariables({ Path: 'a', Home: 'b' }, { PATH: 'c' }, 'win32')).toEqual({ Home: 'b', PATH: 'c' })
  expect(setVariables({ Path: 'a' }, { PATH: 'c' }, 'linux')).toEqual({ Path: 'a', PATH: 'c' })
})

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'ends a command of Windows with the processes below it: %s',
  (name) => {
    const runs: (readonly string[])[] = []
    const run = (...[program, words]: [string, readonly string[]]) => {
      runs.push([program, ...words])
      return { status: 0 }
    }
    const child = { pid: 42, exitCode: null, signalCode: null, kill: () => true }
    expect(signalProcesses(child, name, environment, 'win32', run)).toBe(true)
    expect(runs).toEqual([['C:\\Windows\\System32\\taskkill.exe', '/pid', '42', '/t', '/f']])
  },
)

it('ends no process of Windows by the id of one that has ended', () => {
  const child = { pid: 42, exitCode: 0, signalCode: null, kill: () => expect.unreachable() }
  expect(signalProcesses(child, 'SIGKILL', environment, 'win32', () => expect.unreachable())).toBe(false)
})

it('ends the command alone where taskkill fails', () => {
  const child = { pid: 42, exitCode: null, signalCode: null, kill: () => true }
  expect(signalProcesses(child, 'SIGKILL', environment, 'win32', () => ({ status: null }))).toBe(true)
})

it('opens a browser on each system without a shell', () => {
  expect(toOpener('darwin', {})).toEqual({ program: 'open', words: [] })
  expect(toOpener('linux', {})).toEqual({ program: 'xdg-open', words: [] })
  expect(toOpener('win32', environment)).toEqual({
    program: 'C:\\Windows\\System32\\rundll32.exe',
    words: ['url.dll,FileProtocolHandler'],
  })
})

it('finds programs of Windows where its root folder is not set', () => {
  expect(systemProgram('cmd.exe', {})).toBe('C:\\Windows\\System32\\cmd.exe')
})

it('loads virtual timers by a URL without spaces, since NODE_OPTIONS splits at them', () => {
  const variables = readCommandVariables(
    { 'virtual-timers': true },
    { NODE_OPTIONS: '--max-old-space-size=99' },
    ['npm', 'test'],
  )
  expect(variables['NODE_OPTIONS']).toMatch(/^--max-old-space-size=99 --import=file:\/\/\/[^ "\\]+$/)
})

it('refuses two reports in one file, by the rules of each system', () => {
  expect(findDuplicateFile(['a.html', './a.html'], 'linux')).toBe('./a.html')
  expect(findDuplicateFile(['a.html', 'A.html'], 'linux')).toBeUndefined()
  expect(findDuplicateFile(['a.html', 'A.html'], 'darwin')).toBe('A.html')
  expect(findDuplicateFile(['out\\a.html', 'out/A.html'], 'win32')).toBe('out/A.html')
})

it('names findings of scenarios apart whose names differ in case alone', () => {
  expect(toPrefixes(['lost.yaml', 'LOST.yaml', 'late.yaml'])).toEqual(['lost-', 'LOST-2-', 'late-'])
})

it('reloads a file whose name the system spells in another way', () => {
  expect(isSameName('Config.yaml', 'config.yaml')).toBe(true)
  expect(isSameName('e\u0301.yaml', '\u00e9.yaml')).toBe(true)
  expect(isSameName('other.yaml', 'config.yaml')).toBe(false)
})

it('leaves the place of a mistake in front, also with spaces and a drive in the path', () => {
  const message = 'C:\\Users\\Jane Doe\\slow.yaml:3:5: rules is "x": write a list.'
  expect(formatError(message)).toBe(message)
  expect(formatError('Failed to listen on 127.0.0.1:80: it is taken.')).toMatch(/^error: /)
})

it('shortens the path of a test on Windows as elsewhere', () => {
  expect(shortenTestPath('C:\\work\\test\\a.test.ts', 'C:\\work')).toBe('test/a.test.ts')
  expect(shortenTestPath('C:/work/test/a.test.ts', 'C:\\work')).toBe('test/a.test.ts')
  expect(shortenTestPath('/work/test/a\\b.test.ts', '/work')).toBe('test/a\\b.test.ts')
})

it('caches clips in the folder of the user that each system has for it', () => {
  const local = { LOCALAPPDATA: 'C:\\Users\\jane\\AppData\\Local' }
  expect(defaultCacheFolder('win32', local)).toBe('C:\\Users\\jane\\AppData\\Local\\greenroom\\cache')
  expect(defaultCacheFolder('darwin', {}, '/Users/jane')).toBe('/Users/jane/Library/Caches/greenroom')
  expect(defaultCacheFolder('linux', {}, '/home/jane')).toBe('/home/jane/.cache/greenroom')
  expect(defaultCacheFolder('linux', { XDG_CACHE_HOME: '/tmp/x' })).toBe('/tmp/x/greenroom')
})

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

it.each(['EPERM', 'EISDIR', 'EROFS'])('takes a folder that exists where the system answers %s', (code) => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-'))
  const make = (): never => {
    throw failure(code)
  }
  makeFolder(folder, make)
  expect(() => makeFolder(join(folder, 'missing'), make)).toThrow(code)
})

it('replaces a file of Windows once a virus scanner has closed it', async () => {
  const codes = ['EPERM', 'EBUSY']
  const move = async (): Promise<void> => {
    const code = codes.shift()
    if (code !== undefined) throw failure(code)
  }
  await replaceFile('a', 'b', 'win32', move)
  expect(codes).toEqual([])
})

it('does not try again to replace a file for other reasons, or on other systems', async () => {
  const fail = (code: string) => {
    let calls = 0
    const move = async (): Promise<void> => {
      calls++
      throw failure(code)
    }
    return { move, calls: () => calls }
  }
  const [full, linux] = [fail('ENOSPC'), fail('EPERM')]
  await expect(replaceFile('a', 'b', 'win32', full.move)).rejects.toThrow('ENOSPC')
  await expect(replaceFile('a', 'b', 'linux', linux.move)).rejects.toThrow('EPERM')
  expect([full.calls(), linux.calls()]).toEqual([1, 1])
})

it('says how to get rid of a lock whose process id was reused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-'))
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`If it is no greenroom, delete ${join(folder, 'lock')}.`)
  release()
})

/** A new folder with one file. */
function pathOf(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'greenroom-')), name)
  writeFileSync(path, content)
  return path
}

it.each([
  ['greenroom.config.yaml', 'port: 0\r\nseed: 7\r\n'],
  ['greenroom.config.json', '{\r\n  "port": 0,\r\n  "seed": 7\r\n}\r\n'],
  ['greenroom.config.mjs', 'export default {\r\n  port: 0,\r\n  seed: 7,\r\n}\r\n'],
])('reads %s with CRLF and a byte order mark', async (name, text) => {
  expect(await readConfig(pathOf(name, `\ufeff${text}`))).toEqual({ port: 0, seed: 7 })
})

it('reads a scenario with CRLF and a byte order mark', async () => {
  const path = pathOf(
    'slow.yaml',
    '\ufeff# Shows: a comment\r\nversion: 1\r\nname: slow\r\ndescription: |\r\n  a\r\n  b\r\n',
  )
  const { scenario } = await loadScenario(path)
  expect(scenario).toMatchObject({ name: 'slow', description: 'a\nb\n' })
})

it('refuses a config in UTF-16, as PowerShell writes it', async () => {
  const path = pathOf('greenroom.config.yaml', Buffer.from('\ufeffport: 0\r\n', 'utf16le'))
  await expect(readConfig(path)).rejects.toThrow(`${path}: is UTF-16. Save it as UTF-8.`)
})

it('suggests another port where Windows has reserved one', () => {
  const error = { code: 'EACCES', message: 'listen EACCES' }
  expect(explainListenError(error, '127.0.0.1', 4646)).toMatch(/has reserved this port.*--port 4647/)
  expect(explainListenError(error, '127.0.0.1', 80)).toMatch(/needs more rights/)
})

it('finds the line of a failure in a path with slashes or backslashes', () => {
  const path = 'C:\\work\\slow.ts'
  expect(placeIn('at Object.<anonymous> (C:/work/slow.ts:3:5)', path).slice(1)).toEqual(['3', '5'])
  expect(placeIn('at Object.<anonymous> (C:\\work\\slow.ts:3:5)', path).slice(1)).toEqual(['3', '5'])
})

it('reads a recording that an editor of Windows has saved', () => {
  const head = { line: 'recording', version: 2, greenroom: '0.2.0', start: 0, options: {} }
  expect(parseRecording(`\ufeff${JSON.stringify(head)}\r\n`).lines).toEqual([])
})

it('reads a package.json with a byte order mark, as npm does', () => {
  const path = pathOf('package.json', '\ufeff{ "type": "module", "devDependencies": { "vitest": "4" } }\r\n')
  expect(readProject(dirname(path))).toMatchObject({ isModule: true, runner: 'vitest' })
})

it('runs Jest with ES modules without setting a variable, which shells of Windows do otherwise', () => {
  const path = pathOf(
    'package.json',
    '{ "type": "module", "scripts": { "test": "node --experimental-vm-modules jest" } }',
  )
  const setting = { project: readProject(dirname(path)), runner: 'jest' as const }
  expect(testCommand(setting, 'a.test.js')).toBe(
    'npx --node-options=--experimental-vm-modules jest a.test.js',
  )
})

it('checks out every file with LF, also on Windows', () => {
  const attributes = readFileSync(new URL('../.gitattributes', import.meta.url), 'utf8')
  expect(attributes).toMatch(/^\* text=auto eol=lf$/m)
})

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { blocksOf, type Block } from './docs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whether npm may install packages from its registry. Without, the packages of this project are linked instead. */
const mayInstall = process.env['GREENROOM_TEST_INSTALLS'] === '1'

/** What a page does with a file that exists, by the words after its name. The new code has dollars, so it is inserted last. */
const edits: Readonly<Record<string, (text: string) => string>> = {
  'at the end': (text) => `${text}\n\0`,
  'after send': (text) => text.replace(/(async function send[^]*?\n {2}\}\n)/, '$1\n\0'),
  'instead of the poll': (text) => text.replace(/^ *const response = await send\(`.*generations.*\n/m, '\0'),
  'instead of the last two lines': (text) => text.replace(/(?:.+\n){2}$/, '\0'),
}

/** A command that runs until it is stopped, and prints its URL. */
const isServer = (line: string): boolean => /^npx (?:greenroom serve|vite$)/.test(line)

/** A reader who does what a page says, in a folder with nothing but a clone. */
export interface Walkthrough {
  /** Does one block. @throws {Error} if nothing says how. */
  readonly take: (block: Block) => Promise<void>
  /** The folder of the shell. */
  readonly folder: () => string
  /** The URLs that servers have printed, in order. */
  readonly servers: readonly string[]
  readonly end: () => Promise<void>
}

/** Does every block of a page. @returns why others are exempt. */
export async function walk(page: string, { take }: Walkthrough): Promise<string[]> {
  const blocks = blocksOf({ path: page, text: readFileSync(join(root, page), 'utf8') })
  for (const block of blocks) if (block.reason === undefined) await take(block)
  return blocks.flatMap(({ reason }) => reason ?? [])
}

/** @param isInstalling whether npm installs packages, where it may. */
export async function startWalkthrough(isInstalling = true): Promise<Walkthrough> {
  const home = mkdtempSync(join(tmpdir(), 'greenroom-walk-'))
  const start = join(home, 'start')
  mkdirSync(start)
  symlinkSync(root, join(start, 'greenroom'))
  const programs = join(home, 'programs')
  mkdirSync(programs)
  if (!mayInstall || !isInstalling) writeProgram(join(programs, 'npm'), linkingNpm)
  const ports = [await freePort(), await freePort()]
  let shell = startShell(start, programs)
  const shells = [shell]
  const servers: string[] = []
  let output = ''
  /** A command that failed. Only a page that shows its output means it. */
  let failure: Error | undefined
  const run = async (lines: string): Promise<void> => {
    const { code, printed } = await shell.run(lines)
    output += printed
    if (code === 0) return
    failure = new Error(`${lines}\nfailed with ${code}:\n${printed}`)
    shell = startShell(shell.folder(), programs)
    shells.push(shell)
  }

  const runScript = async (code: string): Promise<void> => {
    output = ''
    for (const part of code.split(/^(?=npx (?:greenroom serve|vite$))/m)) {
      const [line = '', ...rest] = part.split('\n')
      if (!isServer(line)) {
        await run(withPorts(part, ports))
        continue
      }
      const port =
        line.includes('greenroom') && !line.includes('--port') ? ` --port ${ports[0]} --rate 10` : ''
      const log = join(home, `server-${servers.length}.log`)
      await run(`${withPorts(line, ports)}${port} >${log} 2>&1 &`)
      const url = (): string | undefined =>
        /https?:\/\/[\w.]+:\d+/.exec(stripVTControlCharacters(readFileSync(log, 'utf8')))?.[0]
      await expect.poll(url, { timeout: 60_000 }).toBeDefined()
      servers.push(url()!)
      if (rest.join('').trim() !== '') await run(withPorts(rest.join('\n'), ports))
    }
  }

  return {
    servers,
    folder: () => shell.folder(),
    async take({ path, line, language, code }) {
      if (failure && language !== 'text') throw failure
      failure = undefined
      const [, file, edit] = /^(?:\/\/|#|<!--) ([\w.-]+\.\w+)(?: -->)?(?:, (.+))?\n/.exec(code) ?? []
      if (file !== undefined) writeBlock(join(shell.folder(), file), code, edit)
      else if (language === 'sh') await runScript(code)
      else if (language === 'text')
        for (const each of code.trim().split('\n')) expect(output).toContain(each.trim())
      else throw new Error(`${path}:${line}: the block names no file, and is no command and no output.`)
    },
    async end() {
      for (const each of shells) await each.end()
      rmSync(home, { recursive: true, force: true })
      if (failure) throw failure
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function writeBlock(path: string, content: string, edit: string | undefined): void {
  if (edit === undefined) return writeFileSync(path, content)
  const before = readFileSync(path, 'utf8')
  const after = edits[edit]!(before).replace('\0', () => content)
  expect(after, edit).not.toBe(before)
  writeFileSync(path, after)
}

const withPorts = (text: string, [one, other]: readonly number[]): string =>
  text.replaceAll('4646', String(one)).replaceAll('4647', String(other))

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/**
 * Links what `npm install` would install; everything else, npm does. It stands first in PATH; a Node without an npm of its
 * own runs the npm that comes later there.
 */
const linkingNpm = `#!/bin/sh
case $1 in
pack) exit 0 ;;
install)
  mkdir -p node_modules/.bin
  ln -sfn '${root}' node_modules/greenroom
  ln -sf ../greenroom/dist/cli/main.js node_modules/.bin/greenroom
  for name in vitest msw vite; do
    ln -sfn "${join(root, 'node_modules')}/$name" node_modules/$name
    ln -sf "${join(root, 'node_modules')}/.bin/$name" node_modules/.bin/$name
  done ;;
*) PATH=\${PATH#*:}; exec npm "$@" ;;
esac
`

interface Shell {
  /** Runs lines, and waits until they have ended. The first line that fails ends the shell. */
  readonly run: (lines: string) => Promise<{ code: number; printed: string }>
  readonly folder: () => string
  /** Ends it, with the servers that it started. */
  readonly end: () => Promise<void>
}

/** One shell for a whole page: variables and the working folder stay. */
function startShell(start: string, programs: string): Shell {
  const outside = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:VITEST|NODE_|CI$|GITHUB_|npm_|GREENROOM_)/.test(name) ||
      // Where packages come from is the machine's choice.
      /^npm_config_(?:cache|prefer_offline)$/.test(name),
  )
  const env = {
    ...Object.fromEntries(outside),
    NO_COLOR: '1',
    PATH: [programs, dirname(process.execPath), process.env['PATH']].join(delimiter),
  }
  const child = spawn('sh', { cwd: start, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let folder = start
  let printed = ''
  let check = (): void => {}
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += String(chunk)
      check()
    })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const end = /\ngreenroom-walkthrough-end (\d+) (.*)\n/
  // What was printed before may end without a line break.
  const report = `printf "\\ngreenroom-walkthrough-end %s %s\\n" $? "$PWD"`
  child.stdin.write(`set -e\ntrap '${report}' EXIT\n`)
  return {
    folder: () => folder,
    async run(lines) {
      printed = ''
      const ended = new Promise<void>((resolve) => {
        check = () => end.test(printed) && resolve()
      })
      child.stdin.write(`${lines}\n(trap - EXIT; ${report})\n`)
      await Promise.race([ended, closed])
      const [, code = '1', at = folder] = end.exec(printed) ?? []
      folder = at
      return { code: Number(code), printed: stripVTControlCharacters(printed.replace(end, '')) }
    },
    async end() {
      try {
        process.kill(-child.pid!, 'SIGTERM')
      } catch {
        // Nothing of it runs any more.
      }
      await closed
    },
  }
}

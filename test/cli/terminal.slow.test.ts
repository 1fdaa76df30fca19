import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const command = `'${process.execPath}' '${main}' serve --port 0 --cache-dir false`

/** Runs a program on a terminal of its own: its input and output are those of the terminal. */
const pseudoTerminal = `
import os, pty, select, sys
child, terminal = pty.fork()
if child == 0: os.execvp(sys.argv[1], sys.argv[1:])
while True:
    for source in select.select([0, terminal], [], [])[0]:
        try: data = os.read(source, 65536)
        except OSError: data = b''
        if source == 0: os.write(terminal, data)
        elif data: os.write(1, data)
        else: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`
const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0 && process.platform === 'linux'

beforeAll(() => {
  if (!hasTerminal) process.stderr.write('Skipped: terminals need a pseudo-terminal, by python3 on Linux.\n')
})

/** Starts a program on a terminal. */
function startOnTerminal(...words: string[]) {
  const child = spawn('python3', ['-c', pseudoTerminal, ...words], {
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let seen = ''
  child.stdout.on('data', (bytes: Buffer) => (seen += String(bytes)))
  return {
    press: (keys: string) => child.stdin.write(keys),
    /** Waits for a text, and forgets what came before its end. */
    see: async (pattern: RegExp): Promise<string> => {
      await expect.poll(() => seen, { timeout: 15_000 }).toMatch(pattern)
      const [found] = pattern.exec(seen)!
      seen = seen.slice(seen.indexOf(found) + found.length)
      return found
    },
  }
}

it.runIf(hasTerminal)('colours its log on a terminal, unless NO_COLOR or CI says otherwise', async () => {
  for (const [variable, isColoured] of [
    ['A', true],
    ['NO_COLOR', false],
    ['CI', false],
  ] as const) {
    const { press, see } = startOnTerminal('env', `${variable}=1`, 'sh', '-c', command)
    const url = await see(/http:\/\/[\d.:]+/)
    await see(/encoder/)
    await fetch(`${url}/v1/models`)
    const line = await see(/GET .*\r\n/)
    expect(line.includes('\u001b['), variable).toBe(isColoured)
    press('\u0003') // Ctrl-C
  }
})

import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const command = `'${process.execPath}' '${main}' serve --port 0 --no-cache`

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
  if (!hasTerminal) process.stderr.write('Skipped: keys need a pseudo-terminal, by python3 on Linux.\n')
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
    ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
  }
}

it.runIf(hasTerminal)(
  'obeys keys: help, curl lines, the clock, and q, which restores the terminal',
  async () => {
    const { press, see, ended } = startOnTerminal('sh', '-c', `${command}; echo left; stty -a`)
    const [url] = [await see(/http:\/\/[\d.:]+/)]
    await see(/Press h for help/)
    press('h')
    await see(/o {2}open the dashboard[^]*\[\[fail: reason]]/)
    press('c')
    const copied = /52;c;([\w+/=]+)/.exec(await see(/]52;c;[\w+/=]+/))![1]!
    expect(Buffer.from(copied, 'base64').toString()).toContain(`curl -s ${url}/v1/video/generations`)
    await see(/curl -fL/)
    press('p')
    await see(/Clock: paused at/)
    const clock = (await (await fetch(`${url}/_greenroom/clock`)).json()) as { mode: string }
    expect(clock.mode).toBe('manual')
    press('p')
    await see(/Clock: playing, real/)
    press('q')
    await see(/left[^]* icanon[^]* echo /)
    expect(await ended).toBe(0)
  },
)

it.runIf(hasTerminal)('stops at Ctrl-Z, goes on by fg, and ends at Ctrl-C', async () => {
  const { press, see, ended } = startOnTerminal('bash', '--norc', '-i')
  press(`${command}\n`)
  await see(/Press h for help/)
  press('\u001a')
  await see(/Stopped/)
  press('stty -a\n')
  await see(/ icanon/)
  press('fg\n')
  // The terminal is taken again a moment later.
  const pressing = setInterval(() => press('h'), 300)
  await see(/this help/).finally(() => clearInterval(pressing))
  press('\u0003')
  await see(/bash-[\d.]+[#$] $/)
  press('exit 7\n')
  expect(await ended).toBe(7)
})

it.runIf(hasTerminal)('runs in the background of a shell without being stopped', async () => {
  const { press, see, ended } = startOnTerminal('bash', '--norc', '-i')
  press(`${command} &\n`)
  await see(/encoder/)
  press('jobs\n')
  await see(/Running/)
  press('kill %1; wait; exit 0\n')
  expect(await ended).toBe(0)
})

it.runIf(hasTerminal)('colours its log on a terminal, unless NO_COLOR or CI says otherwise', async () => {
  for (const [variable, isColoured] of [
    ['A', true],
    ['NO_COLOR', false],
    ['CI', false],
  ] as const) {
    const { press, see } = startOnTerminal('env', `${variable}=1`, 'sh', '-c', command)
    const url = await see(/http:\/\/[\d.:]+/)
    await see(/Press h for help/)
    await fetch(`${url}/v1/models`)
    const line = await see(/GET .*\r\n/)
    expect(line.includes('\u001b['), variable).toBe(isColoured)
    press('q')
  }
})

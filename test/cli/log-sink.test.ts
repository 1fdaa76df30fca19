import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openSink } from '../../src/cli/serve/log/log-sink.ts'

it.skipIf(process.platform === 'win32')(
  'drops lines while the output is not read, and reports how many when it is read again',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-log-'))
    const pipe = join(folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    const fd = openSync(pipe, 'w')
    onTestFinished(() => {
      closeSync(fd)
      closeSync(reader)
      rmSync(folder, { recursive: true })
    })
    let dropped = 0
    const screen = { fd, hasColours: false, columns: () => undefined }
    const sink = openSink({ screen, print: () => {} }, (count) => (dropped += count))

    // Two lines a turn, two megabytes in all. sonic-boom holds one, the pipe 64 kB.
    for (let turn = 0; turn < 20; turn++) {
      sink.write(`${'a'.repeat(50_000)}\n`)
      sink.write(`${'b'.repeat(50_000)}\n`)
      await Promise.resolve()
    }
    let text = ''
    const readOn = (): void => {
      text += readAvailable(reader)
      expect(dropped).toBeGreaterThan(0)
    }
    await vi.waitFor(readOn, { interval: 5, timeout: 20_000 })
    const lines = text.split('\n').slice(0, -1)
    expect(lines.length + dropped).toBe(40)
    expect(lines.every((line) => /^(?:a{50000}|b{50000})$/.test(line))).toBe(true)
  },
)

/** Reads what a pipe holds now. */
function readAvailable(fd: number): string {
  const bytes = Buffer.alloc(65_536)
  let text = ''
  for (;;) {
    try {
      text += bytes.toString('latin1', 0, readSync(fd, bytes))
    } catch {
      return text
    }
  }
}

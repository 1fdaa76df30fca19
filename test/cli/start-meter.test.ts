import { expect, it, onTestFinished, vi } from 'vitest'
import { StartMeter } from '../../src/cli/run/explore/start-meter.ts'
import { hostTimers } from '../../src/engine/clock/timers/host-timers.ts'

/** The hint about a command after ten runs, by how long each takes until its first request, and then to end. */
function describeStarts(command: string, startMs: number, restMs: number): string | undefined {
  let nowMs = 0
  vi.spyOn(hostTimers, 'elapsedMs').mockImplementation(() => nowMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const meter = new StartMeter()
  for (let run = 0; run < 10; run++) {
    let request = (): void => {}
    const subscribe = (listener: () => void): (() => void) => {
      request = listener
      return () => {}
    }
    const { start, end } = meter.watch({ subscribe } as never)
    start()
    nowMs += startMs
    request()
    nowMs += restMs
    request()
    end()
  }
  return meter.describe(command.split(' '))
}

it('says how much of the time a command took to start, and what to write instead', () => {
  expect(describeStarts('npx tsx client.ts --fast', 4_200, 1_000)).toBe(
    '81 % of the time passed before the first request of COMMAND, which took 4s200ms to start each time. Write node --import tsx client.ts --fast after "--".',
  )
})

it.each([
  ['npx --yes vite-node client.ts', 'Write node_modules/.bin/vite-node client.ts after "--".'],
  ['/usr/bin/tsx client.ts', 'Write node --import tsx client.ts after "--".'],
  ['pnpm exec tsx client.ts', 'Write node --import tsx client.ts after "--".'],
  ['npm test', 'Write what the script of npm runs after "--", instead of npm.'],
  ['venv/bin/python3.11 client.py', 'Let it import less before that.'],
  ['node client.js', 'Let it load less before that, such as a file that is compiled before.'],
])('advises for the command: %s', (command, advice) => {
  expect(describeStarts(command, 4_000, 0)).toContain(advice)
})

it('says nothing of a start that is fast, or that is a small part of the time', () => {
  expect(describeStarts('npx tsx client.ts', 600, 0)).toBe(undefined)
  expect(describeStarts('npx tsx client.ts', 2_000, 8_000)).toBe(undefined)
})

import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { processes } from '../../src/server/agents/processes.ts'

it.skipIf(!processes.areListed)(
  'knows the processor time of a process that sleeps, and of no other',
  async () => {
    const child = spawn('sleep', ['60'])
    onTestFinished(() => void child.kill())
    await expect.poll(() => processes.timeOf(child.pid!)).toBeTypeOf('number')
    expect(processes.timeOf(process.pid)).toBe(undefined)
    process.kill(child.pid!, 'SIGSTOP')
    await expect.poll(() => processes.timeOf(child.pid!)).toBe(undefined)
  },
)

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { plainCommand, serve } from '../support/served.ts'

// Node never tries again to load a module that it could not open, such as when too many files were open.
it.runIf(process.platform === 'linux')(
  'loads what renders soon after its start, before connections can use up its files',
  async () => {
    const { child } = await serve(plainCommand)
    onTestFinished(() => void child.kill())
    const hasLoaded = (): boolean => readFileSync(`/proc/${child.pid}/maps`, 'utf8').includes('/sharp')
    expect(hasLoaded()).toBe(false)
    while (!hasLoaded()) await sleep(50)
  },
)

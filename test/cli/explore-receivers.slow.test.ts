import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, runIn } from './run-in-folder.ts'

const receiver = fileURLToPath(new URL('receiver.mjs', import.meta.url))
const scenario = 'version: 1\nname: Callbacks\nconfig: { drawing: { notifyHook: true } }\n'

/** The keys of what is found in the receiver with a planted bug. */
async function findIn(bug: string): Promise<string[]> {
  const folder = folderWith({ 'callbacks.yaml': scenario })
  const flags = [
    '--virtual-timers',
    '--jobs',
    '2',
    '--only',
    'mj.notify',
    '--only',
    'early',
    '--report',
    'json=report.json',
  ]
  const environment = { PATH: process.env['PATH'], BUG: bug }
  const interrupted = new Promise<void>(() => {})
  await runIn(folder, ['explore', ...flags, 'callbacks.yaml', '--', process.execPath, receiver], {
    interrupted,
    environment,
  })
  const report = readFileSync(join(folder, 'report.json'), 'utf8')
  const { explorations } = JSON.parse(report) as { explorations: { findings: { key: string }[] }[] }
  return explorations.flatMap(({ findings }) => findings.map(({ key }) => key))
}

describe('explores receivers of callbacks', { timeout: 300_000 }, () => {
  it('and finds nothing in a careful one', async () => {
    expect(await findIn('')).toEqual([])
  })

  it.each([
    ['alone', 'relies-on-callbacks'],
    ['twice', 'handles-callbacks-twice'],
    ['order', 'depends-on-order'],
    ['slow', 'answers-callbacks'],
  ])('and finds one planted bug: %s', async (bug, habit) => {
    expect(await findIn(bug)).toEqual([expect.stringContaining(habit)])
  })
})

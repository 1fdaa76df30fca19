import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plantBug, plantedBugs } from '../support/planted-vendors.ts'
import { folderWith, runIn } from './run-in-folder.ts'

/** One bug for each vendor, or all by GREENROOM_PLANTED=all: that takes minutes. */
const drawn = [
  'takes a failed task for one without a file',
  'keeps a damaged download',
  'gives up at the first outage',
]
const tried = plantedBugs.filter(
  ({ bug }) => process.env['GREENROOM_PLANTED'] === 'all' || drawn.includes(bug),
)

it.each(tried)('finds a client of $api that $bug', { timeout: 120_000 }, async (planted) => {
  const folder = folderWith(plantBug(planted))
  const flags = [
    '--virtual-timers',
    '--api',
    planted.api,
    '--only',
    planted.only,
    '--report',
    'json=report.json',
  ]
  const command = ['--', process.execPath, `${planted.api}-client.js`]
  const interrupted = new Promise<void>(() => {})
  const environment = { PATH: process.env['PATH'] }
  const { code } = await runIn(folder, ['explore', ...flags, ...command], { interrupted, environment })
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    explorations: { findings: { sentence: string }[] }[]
  }
  const sentences = report.explorations.flatMap(({ findings }) => findings.map(({ sentence }) => sentence))
  if (process.env['GREENROOM_PLANTED'] === 'all')
    console.info(`${planted.api}: ${planted.bug}\n  ${sentences.join('\n  ')}`)
  expect(code).toBe(20)
  expect(sentences).not.toEqual([])
})

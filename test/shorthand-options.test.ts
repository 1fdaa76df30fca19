import { expect, it } from 'vitest'
import { shippedOperations } from '../src/apis/index.ts'
import { configSchema } from '../src/scenario/vocabulary/config-schema.ts'
import { clockOver } from '../src/engine/clock/clock-settings.ts'
import { createSimulator, defineConfig, defineScenario } from '../src/index.ts'
import { startServer } from '../src/server/index.ts'
import { run } from './cli/run-in-folder.ts'
import { ask, postChat } from './support/text.ts'

it('takes a mode alone for the clock of a simulator', async () => {
  await using sim = createSimulator({ cacheDir: false, clock: 'manual' })
  expect(sim.clock.status()).toMatchObject({ mode: 'manual', time: '2030-01-01T00:00:00.000Z' })
  expect(() => createSimulator({ clock: 'manuel' as 'manual' })).toThrow('Did you mean "manual"?')
})

it('takes a mode alone for the clock of a scenario, which the options override', async () => {
  const scenario = defineScenario({ version: 1, clock: 'manual' })
  await using sim = createSimulator({ cacheDir: false, scenario })
  expect(sim.clock.status().mode).toBe('manual')
  await using other = createSimulator({ cacheDir: false, scenario, clock: 'auto' })
  expect(other.clock.status().mode).toBe('auto')
})

it('takes a mode alone for the clock of a server, but not host', async () => {
  const server = await startServer({ port: 0, cacheDir: false, clock: 'manual' })
  expect(server.simulator.control.clock.status('default').mode).toBe('manual')
  await server.close()
  await expect(startServer({ port: 0, clock: 'host' })).rejects.toThrow('clock mode host follows the Date')
})

it('takes a mode alone in config files and scenario files', async () => {
  const filed = await run(['serve', '--port', '0'], { 'greenroom.config.yaml': 'clock: manual\n' })
  expect(filed.printed).toContain('clock      manual')
  const wrong = await run(['serve'], { 'greenroom.config.yaml': 'clock: host\n' })
  expect([wrong.code, wrong.warned]).toEqual([
    22,
    expect.stringContaining('greenroom.config.yaml:1:8: clock is "host"'),
  ])
  const checked = await run(['check', 'one.yaml', 'two.yaml'], {
    'one.yaml':
      'version: 1\nname: one\nclock: manual\nrules:\n  - match: { op: video.submit }\n    delay: 1s\n',
    'two.yaml': 'version: 1\nname: two\nextends: [one.yaml]\nclock: { start: 2030-06-01 }\n',
  })
  expect(checked.warned + checked.printed).not.toContain('mistake')
  expect(checked.code).toBe(0)
})

it.each([
  ['manual', { start: 5 }, { mode: 'manual', start: 5 }],
  [{ mode: 'scaled', rate: 60 }, 'manual', { mode: 'manual' }],
  ['manual', { rate: 60 }, { mode: 'scaled', rate: 60 }],
  ['auto', 'manual', { mode: 'manual' }],
] as const)('puts the clock %j under %j', (weaker, stronger, whole) => {
  expect(clockOver<object>(weaker, stronger)).toEqual(whole)
})

it('ignores fields of a request that do not matter', async () => {
  await using sim = createSimulator({ cacheDir: false, identity: ['nonce'] })
  for (const nonce of [1, 2])
    await postChat({ call: (path, init) => sim.fetch(path, init) }, { ...ask('hi'), nonce })
  expect(new Set(sim.journal().map(({ identity }) => identity)).size).toBe(1)
})

it('cuts a stream behind a chunk that a number names', async () => {
  const texts: string[] = []
  for (const cut of [2, { afterChunk: 2 }]) {
    await using sim = createSimulator({
      cacheDir: false,
      rules: [{ match: { op: 'chat.complete' }, stream: { cut } }],
    })
    const response = await postChat(
      { call: (path, init) => sim.fetch(path, init) },
      { ...ask('hi'), stream: true },
    )
    texts.push(await response.text())
    expect(sim.journal()[0]!.stream).toEqual({ chunks: 2, ended: 'cut' })
  }
  expect(texts[0]).toBe(texts[1])
})

it('accepts a list of hosts that may be notified', () => {
  const config = defineConfig({ drawing: { notifyHook: ['hooks.internal'] } })
  expect(configSchema(shippedOperations).safeParse(config).success).toBe(true)
  expect(() => createSimulator(config)).not.toThrow()
  const wrong = { drawing: { notifyHook: [5] as unknown as string[] } }
  expect(() => createSimulator(wrong)).toThrow('drawing.notifyHook.0 is 5: must be a text')
})

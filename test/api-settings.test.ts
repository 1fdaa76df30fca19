import { expect, it } from 'vitest'
import { tableOf, type Api } from '../src/apis/define/api.ts'
import { apis, shippedOperations } from '../src/apis/index.ts'
import type { OperationTable } from '../src/engine/operations/operation-table.ts'
import { quirksOf } from '../src/gateway/quirks.ts'
import { createSimulator, type EmbeddedOptions } from '../src/index.ts'
import { checkScenario } from '../src/files/check.ts'
import { checkAgainst } from '../src/scenario/schema/mistakes.ts'
import { configSchema } from '../src/scenario/vocabulary/config-schema.ts'
import { needs } from './support/needs.ts'

const all: readonly Api[] = apis
const withSettings = all.filter(({ settings }) => settings !== undefined)

it('knows the options of each API that is served', () => {
  needs('video.submit', 'mj.imagine')
  const brought = withSettings.flatMap(({ settings }) => Object.keys(settings!.options ?? {}))
  expect(brought).toEqual(['video', 'drawing'])
  expect(Object.keys(shippedOperations.settings.options)).toEqual(brought)
  expect(Object.keys(configSchema(shippedOperations).shape)).toEqual(expect.arrayContaining(brought))
})

const withOptions = withSettings.filter(({ settings }) => settings!.options !== undefined)

it.each(withOptions)('knows the options of $name in no file if the API is not served', (api) => {
  const others = tableOf(all.filter((each) => each !== api))
  const [name] = Object.keys(api.settings!.options!)
  const config = { [name!]: {} }
  const inScenario = checkScenario({ version: 1, config }, others)
  const inConfig = checkAgainst(configSchema(others), config, others)
  expect(inScenario).toMatchObject({
    mistakes: [{ sentence: expect.stringMatching(`^config.${name}: is not known\\. Known here: `) }],
  })
  expect(inConfig).toMatchObject({
    mistakes: [{ isKey: true, message: expect.stringMatching(/^is not known\. Known here: /) }],
  })
})

const others = (name: string): OperationTable => tableOf(all.filter((api) => api.name !== name))

it('knows no quirk of an API that is not served', () => {
  needs('video.submit', 'mj.imagine')
  const message = /^There is no quirk "drawingContentType"\..* Use videoStatusStyle, /
  expect(() => quirksOf(others('drawing').settings, 'seed', { drawingContentType: 'text' })).toThrow(message)
  expect(quirksOf(others('drawing').settings, 'upstream')).not.toHaveProperty('drawingContentType')
  expect(quirksOf(shippedOperations.settings, 'upstream')).toMatchObject({ drawingContentType: 'text' })
})

it('knows a quirk of several APIs while one of them is served', () => {
  needs('mj.imagine')
  expect(Object.keys(others('chat').settings.quirks)).toContain('sseNewline')
  const [drawing] = all.filter(({ name }) => name === 'drawing')
  expect(Object.keys(tableOf([drawing!]).settings.quirks)).not.toContain('sseNewline')
})

it('knows no key of a model that only an absent API reads', () => {
  needs('video.submit')
  const config = { models: [{ name: 'm', sizes: ['64x64'] }] }
  const table = tableOf(all.filter(({ name }) => !name.includes('video')))
  expect(checkAgainst(configSchema(shippedOperations), config, shippedOperations)).toHaveProperty('value')
  expect(checkAgainst(configSchema(table), config, table)).toMatchObject({
    mistakes: [{ message: expect.stringMatching(/^is not known\. Known here: name, kind/) }],
  })
})

it('makes the schemas once for two simulators with the same settings', () => {
  needs('mj.imagine')
  const plain: Api = { name: 'plain', title: '', description: '', operations: [] }
  const [one, other] = [tableOf(all), tableOf([...all, plain])]
  expect(one).not.toBe(other)
  expect(configSchema(one)).toBe(configSchema(other))
  expect(configSchema(one)).not.toBe(configSchema(others('drawing')))
})

it.each([
  [
    { timing: { tokensPerSecond: 2e6 } },
    'text.timing.tokensPerSecond is 2000000: give a number from 0.01 to 1000000',
  ],
  [{ answers: [{}] }, 'text.answers[0] says nothing: give it text, json, calls or block'],
])('finds a contradiction in settings of texts when the simulator is made: %j', (text, message) => {
  expect(() => createSimulator({ text })).toThrow(message)
})

it('offers the operations that the options of each simulator bring', async () => {
  const statusOfList = async (options: EmbeddedOptions): Promise<number> => {
    await using sim = createSimulator(options)
    const headers = { Authorization: `Bearer ${sim.key}` }
    return (await sim.fetch('https://gateway.test/v1/videos', { headers })).status
  }
  expect(await statusOfList({ video: { listAndDelete: true } })).toBe(200)
  expect(await statusOfList({})).toBe(404)
  expect(await statusOfList({ video: { listAndDelete: true } })).toBe(200)
})

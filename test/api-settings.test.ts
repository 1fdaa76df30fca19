import { expect, it } from 'vitest'
import { tableOf, type Api } from '../src/apis/define/api.ts'
import { apis, shippedOperations } from '../src/apis/index.ts'
import { createSimulator } from '../src/index.ts'
import { checkScenario } from '../src/scenario/files/check.ts'
import { checkAgainst } from '../src/scenario/schema/mistakes.ts'
import { configSchema } from '../src/scenario/vocabulary/config-schema.ts'

const all: readonly Api[] = apis
const withSettings = all.filter(({ settings }) => settings !== undefined)

it('knows the settings of each API that is served', () => {
  const brought = withSettings.flatMap(({ settings }) => Object.keys(settings!))
  expect(brought).toEqual(['video', 'drawing'])
  expect(Object.keys(shippedOperations.settings)).toEqual(brought)
  expect(Object.keys(configSchema(shippedOperations).shape)).toEqual(expect.arrayContaining(brought))
})

it.each(withSettings)('knows the settings of $name in no file if the API is not served', (api) => {
  const others = tableOf(all.filter((each) => each !== api))
  const [name] = Object.keys(api.settings!)
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

it('says what replaces a setting that an API had in an earlier version', () => {
  const video = { framesPerSecond: 12 } as object
  const message = 'video.framesPerSecond was removed: full clips have 24, fast ones 12. Leave it out.'
  expect(() => createSimulator({ video })).toThrow(message)
})

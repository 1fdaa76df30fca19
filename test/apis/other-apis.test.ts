import { expect, it } from 'vitest'
import { otherApis } from '../../src/apis/other-apis.ts'
import { createSimulator, operations } from '../../src/index.ts'

const replaced = otherApis.filter(([, instead]) => / (?:by|to) \w+ \//.test(instead))

it.each(replaced)('names a served operation in place of %s', async (_, instead) => {
  await using sim = createSimulator({ cacheDir: false })
  const [, method, path, operation] = / (?:by|to) (\w+) (\S+) \(([\w.]+)\)\./.exec(instead)!
  expect(operations).toContain(operation)
  expect(sim.core.unserved(method!, path!.replace(/\{\w+\}/, 'any'))).toBeUndefined()
})

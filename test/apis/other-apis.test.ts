import { expect, it } from 'vitest'
import { apis } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'
import { createSimulator, operations } from '../../src/index.ts'

const hints = apis.flatMap(({ instead = [] }: Api) => instead)
const replaced = hints.filter(([, instead]) => / (?:by|to) \w+ \//.test(instead))

it.each(replaced)('names a served operation in place of %s', async (_, instead) => {
  await using sim = createSimulator({ cacheDir: false })
  const [, method, path, operation] = / (?:by|to) (\w+) (\S+) \(([\w.]+)\)\./.exec(instead)!
  expect(operations).toContain(operation)
  expect(sim.core.unserved(method!, path!.replace(/\{\w+\}/, 'any'))).toBeUndefined()
})

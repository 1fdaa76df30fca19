import { afterAll, expect } from 'vitest'

const globalsNow = (): object => ({
  fetch: globalThis.fetch,
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  folder: process.cwd(),
})
const before = globalsNow()

// Files that share a process must restore what they replace, such as by MSW's server.listen(): otherwise others fail.
afterAll(() => expect(globalsNow()).toEqual(before))

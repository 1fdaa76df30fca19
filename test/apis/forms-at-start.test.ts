import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { needs } from '../support/needs.ts'

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

it('makes the schema of a request when one of its kind comes, not at the start', async () => {
  needs('chat.complete')
  const names: (string | undefined)[] = []
  const { add } = z.globalRegistry
  vi.spyOn(z.globalRegistry, 'add').mockImplementation((schema, meta) => {
    names.push(meta?.id)
    return add.call(z.globalRegistry, schema, meta)
  })

  const { createSimulator } = await import('../../src/index.ts')
  const sim = createSimulator()
  expect(names).not.toContain('ChatRequest')
  expect(names).not.toContain('ImagineRequest')

  const body = JSON.stringify({ model: 'sim-text-1', messages: [{ role: 'user', content: 'Hello' }] })
  await sim.fetch('/v1/chat/completions', { method: 'POST', headers, body })
  expect(names).toContain('ChatRequest')
  expect(names).not.toContain('ImagineRequest')
})

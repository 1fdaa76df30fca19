import { setupServer } from 'msw/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const url = 'https://gateway.example/v1/video/generations'

/** A client of a simulator through MSW, with what it is warned of. In a test with a document, as jsdom has one. */
function start({
  hasDocument = true,
  ...options
}: Parameters<typeof createSimulator>[0] & { hasDocument?: boolean } = {}): {
  submit: (prompt: string) => Promise<unknown>
  warnings: string[]
} {
  const warnings: string[] = []
  const sim = createSimulator({
    cacheDir: false,
    onWarning: (warning) => void warnings.push(warning),
    ...options,
  })
  const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
  server.listen({ onUnhandledRequest: 'error' })
  if (hasDocument) vi.stubGlobal('document', {})
  onTestFinished(async () => {
    vi.unstubAllGlobals()
    server.close()
    await sim.close()
  })
  const headers = { authorization: 'Bearer sk-page', 'content-type': 'application/json' }
  const submit = async (prompt: string): Promise<unknown> => {
    const body = JSON.stringify({ model: 'video-1', prompt })
    return (await fetch(url, { method: 'POST', headers, body })).json()
  }
  return { submit, warnings }
}

it('says once in jsdom that a page submits the same job twice at once, as in React’s StrictMode', async () => {
  const { submit, warnings } = start()
  await Promise.all([submit('a kite'), submit('a kite')])
  await Promise.all([submit('a boat'), submit('a boat')])
  await expect
    .poll(() => warnings)
    .toEqual([
      expect.stringMatching(
        /^The page submitted the same job twice at once \(video\.submit\), and each costs\. .*StrictMode/,
      ),
    ])
})

it('says nothing of a page that wants four variants, and submits them at once', async () => {
  const { submit, warnings } = start()
  await Promise.all(['a kite', 'a kite', 'a kite', 'a kite'].map(submit))
  await Promise.all([submit('a boat'), submit('a boat')])
  await expect.poll(() => warnings).toEqual([expect.stringContaining('twice')])
})

it('says nothing of different jobs, nor of the same job after the first response', async () => {
  const { submit, warnings } = start()
  await Promise.all([submit('a kite'), submit('a boat')])
  await Promise.all([submit('a kite'), submit('a boat')])
  expect(warnings).toEqual([])
})

it('says nothing of a client that submits again because the response was lost', async () => {
  const rules = [{ match: { op: 'video.submit' }, times: 2, fault: 'reset' }] as const
  const { submit, warnings } = start({ rules })
  const persist = (prompt: string): Promise<unknown> => submit(prompt).catch(() => submit(prompt))
  await Promise.all([persist('a kite'), persist('a boat')])
  expect(warnings).toEqual([])
})

it('says nothing of workers, which have no document', async () => {
  const { submit, warnings } = start({ hasDocument: false })
  await Promise.all([submit('a kite'), submit('a kite')])
  expect(warnings).toEqual([])
})

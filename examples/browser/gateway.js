// The gateway runs in this page: MSW's worker passes it the requests to https://gateway.example.
import { createSimulator, parseScenario } from 'greenroom'
import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import text from './a-bad-minute.yaml?raw'

export const baseUrl = 'https://gateway.example'

/** Resolves when the page's requests are answered. */
export async function startGateway() {
  const sim = createSimulator({ scenario: await parseScenario(text, { file: 'a-bad-minute.yaml' }) })
  const worker = setupWorker(...sim.handlers({ baseUrl, http }))
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' })
  return sim
}

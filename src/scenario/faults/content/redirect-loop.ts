import { defineFault } from '../fault.ts'

export const redirectLoop = defineFault({
  name: 'redirect-loop',
  description: 'The response redirects to its own URL.',
  fields: {},
  hits: 'any',
  visibleIn: 'headers',
  goodClient: { reaction: 'report-and-stop', expected: 'either', family: 'redirects', rank: 3 },
  explored: { at: ['poll', 'download'] },

  // 307 keeps method and body, so that a submission loops as a poll does.
  apply: ({ delayMs }, _, { url }) => ({
    status: 307,
    headers: { Location: url, 'Cache-Control': 'no-store' },
    body: null,
    delayMs,
  }),
})

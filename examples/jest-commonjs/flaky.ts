import { defineScenario } from 'greenroom'

export default defineScenario({
  version: 1,
  rules: [{ match: { op: 'video.poll' }, on: [1, 2], respond: { status: 503 } }],
})

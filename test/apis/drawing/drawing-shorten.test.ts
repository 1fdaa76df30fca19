import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.ts'
import { drawn } from '../../support/drawing.ts'

describeTransports((open) => {
  it.each([
    ['an incredibly detailed breathtaking photograph of a fox, cinematic lighting, 8k, masterpiece', 'fox'],
    ['magnificent panoramic landscape photography, dramatic clouds, a small polar bear', 'polar bear'],
    ['hyperrealistic impressionist masterpiece, extraordinary atmosphere, ein Hund', 'Hund'],
  ])('never drops the subject of a prompt that it shortens: %s', async (prompt, subject) => {
    await using transport = await open()
    const { description, properties } = await drawn(transport, 'submit/shorten', { prompt })
    const lines = `${description}\n${properties?.finalPrompt ?? ''}`
      .split('\n')
      .filter((line) => /^1|^\d|️⃣/.test(line))
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) expect(line).toContain(subject)
  })
})

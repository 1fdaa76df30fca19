import { ControlError, type ControlRoute } from './route.ts'

/** Scenario files, as texts. Their reader is loaded with the first. */
export class ScenarioControl {
  /** Whether a text is a valid scenario; if not, with every mistake and its place. */
  async check(text: string): Promise<{ ok: true } | { ok: false; message: string }> {
    const { parseScenario } = await import('../scenario/files/parse.ts')
    try {
      await parseScenario(text, 'scenario.yaml')
      return { ok: true }
    } catch (error) {
      return { ok: false, message: (error as Error).message }
    }
  }
}

export const scenarioRoutes: readonly ControlRoute<ScenarioControl>[] = [
  {
    methods: ['POST'],
    path: '/scenario/check',
    does: 'whether a text is a valid scenario file, and what is wrong with it',
    takesText: true,
    call: (scenario, { text }) => {
      if (text.trim() === '')
        throw new ControlError(400, 'The body is empty. Send the text of a scenario file.')
      return scenario.check(wrappedText(text) ?? text)
    },
  },
]

/** The text in `{"text": "…"}`, which is no scenario itself. */
function wrappedText(body: string): string | undefined {
  if (!body.startsWith('{"text"')) return undefined
  try {
    const { text } = JSON.parse(body) as { text?: unknown }
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
